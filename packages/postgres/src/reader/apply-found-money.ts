// Applies money that nobody submitted to us and that names its intent by itself: by a reference key, or by a memo. What it
// means is decided as for all such money.
import { createHash } from 'node:crypto';
import { type AppliedMovement, isRemovable, judgeMoney, type PaidTerms } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { loadMismatchPolicy } from '../account/mismatch-policy.ts';
import { loadLateTerms, loadPaidTerms } from '../intent/late-terms.ts';
import { findProofs } from '../payment/log-proofs.ts';
import { lockEarlierParts } from './earlier-parts.ts';
import {
  findIntentOfCode,
  isOwnTransaction,
  type LockedPayment,
  lockPayment,
  type OwnedIntent,
} from './lock-for-apply.ts';
import { loadPending, removeQueued } from './pending-payment.ts';
import { type FoundReceipt, writeUnattributed } from './unattributed-receipts.ts';
import { writeMoney } from './write-money.ts';

/** Such a transaction is one proof, whatever it does. */
const LOG_INDEX = 0;

export type FoundMoney = {
  readonly network: NetworkId;
  readonly intentCode: bigint;
  readonly transactionId: string;
  /** Block, or slot. */
  readonly blockNumber: bigint;
  readonly blockTimeMs: number;
  readonly event: FoundReceipt['event'];
  /** By what the intent was found: part of the claim. */
  readonly foundBy: string;
  /** Undefined when the transaction paid nothing of what the intent offers. */
  readonly findPaid: (offered: readonly PaidTerms[], owner: OwnedIntent) => Promise<PaidAcceptance | undefined>;
};

export type PaidAcceptance = {
  /** With the shares of its payout and the address under which that is stored. */
  readonly acceptance: PaidTerms;
  readonly amountAtomic: bigint;
  readonly feeAtomic: bigint;
  readonly feeRecipient: string;
  /** Whose account was debited. */
  readonly payer: string;
  /** Who the intent's expected sender is compared with. */
  readonly sender: string;
};

export async function applyFoundMoney(
  client: pg.ClientBase,
  found: FoundMoney,
  nowMs: number,
): Promise<AppliedMovement> {
  const { network, intentCode, transactionId } = found;
  const [proof] = await findProofs(client, [{ network, transactionId, logIndex: LOG_INDEX }]);
  if (proof !== undefined)
    return proof.payment_id === null
      ? { outcome: 'unattributed', reason: proof.reason ?? '' }
      : { outcome: 'recorded', paymentId: proof.payment_id };
  // A lane records it, for the payment or the refund that it carries.
  if (await isOwnTransaction(client, network, transactionId)) return { outcome: 'ignored', reason: 'own_transaction' };
  const owner = await findIntentOfCode(client, intentCode);
  if (owner === undefined) return { outcome: 'ignored', reason: 'unknown_intent' };
  const locked = owner.isLate ? undefined : await lockPayment(client, owner, owner.paymentId);
  if (!owner.isLate && (locked === undefined || locked.read.payment?.id !== (owner.paymentId ?? undefined)))
    return { outcome: 'waits', reason: 'locked' };
  const late = locked === undefined ? (await loadLateTerms(client, [intentCode])).get(intentCode) : undefined;
  const intent = locked?.read.intent ?? late?.intent;
  if (intent === undefined) return { outcome: 'waits', reason: 'locked' };
  const offered = late?.offered ?? (await loadPaidTerms(client, owner, intentCode));
  const paid = await found.findPaid(offered, owner);
  if (paid === undefined) return { outcome: 'ignored', reason: 'nothing_paid' };
  const { acceptance, amountAtomic, feeAtomic, feeRecipient, payer, sender } = paid;
  const parts = locked && (await lockEarlierParts(client, owner));
  if (locked !== undefined && parts === undefined) return { outcome: 'waits', reason: 'locked' };
  const step = judgeMoney(
    {
      intent,
      acceptance,
      policy: await loadMismatchPolicy(client, owner),
      earlierAtomic: parts?.get(acceptance.position) ?? 0n,
      removable: locked !== undefined && isRemovable(await loadPending(client, owner, locked)),
    },
    { payer: sender, blockTimeMs: found.blockTimeMs, amountAtomic },
  );
  if (step.step === 'unattributed') {
    const { reason } = step;
    const about = { intentId: owner.intentId, payer, amountAtomic: amountAtomic.toString() };
    await writeUnattributed(client, {
      network,
      mode: owner.mode,
      log: { event: found.event, address: acceptance.token.address, position: positionOf(found) },
      logIndex: LOG_INDEX,
      reason,
      about,
      nowMs,
    });
    return { outcome: 'unattributed', reason };
  }
  if (step.step === 'credit' && step.removes) await removeQueued(client, owner, held(locked), nowMs);
  const claimKey = claimOf(found);
  const applied = await writeMoney(
    client,
    {
      owner,
      intentCode,
      read: locked?.read,
      acceptance,
      payer,
      amountAtomic,
      nonce: `0x${Buffer.from(claimKey).toString('hex')}`,
      claimKey,
      evidence: {
        network,
        transactionId,
        logIndex: LOG_INDEX,
        transferLogIndex: LOG_INDEX,
        feeAtomic,
        feeRecipient,
        escrowedFor: [],
      },
      nowMs,
    },
    step,
  );
  if (applied.outcome !== 'completed' && applied.outcome !== 'mismatched')
    throw new Error(`transaction ${transactionId} was ${applied.outcome}`);
  return applied;
}

function held(locked: LockedPayment | undefined): LockedPayment {
  if (locked === undefined) throw new Error('a payment of an intent that left can’t be removed');
  return locked;
}

const positionOf = ({ transactionId, blockNumber }: FoundMoney) => ({
  transactionId,
  logIndex: LOG_INDEX,
  blockNumber,
});

/** Nobody signed an authorization: the claim is of the transaction itself. */
function claimOf({ foundBy, network, transactionId }: FoundMoney): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([foundBy, network, transactionId]))
    .digest();
}
