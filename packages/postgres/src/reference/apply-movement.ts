// Applies a transaction that names the reference of an intent. What it paid is measured by balances, and what that means is
// decided as for all money that nobody submitted to us.
import { createHash } from 'node:crypto';
import {
  type AppliedMovement,
  type DueReference,
  isRemovable,
  judgeMoney,
  measurePayment,
  type PaidTerms,
  payerOfMovement,
  type TokenMovement,
} from '@svc-pay/core';
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import type pg from 'pg';
import { loadMismatchPolicy } from '../account/mismatch-policy.ts';
import { loadLateTerms, loadPaidTerms } from '../intent/late-terms.ts';
import { findProofs } from '../payment/log-proofs.ts';
import { loadStoredPayout } from '../payout/transfer-terms.ts';
import { lockEarlierParts } from '../reader/earlier-parts.ts';
import { findIntentOfCode, isOwnTransaction, type LockedPayment, lockPayment } from '../reader/lock-for-apply.ts';
import { loadPending, removeQueued } from '../reader/pending-payment.ts';
import { writeUnattributed } from '../reader/unattributed-receipts.ts';
import { writeMoney } from '../reader/write-money.ts';

/** A Solana transaction is one proof, whatever it does. */
const LOG_INDEX = 0;

export async function applyMovement(
  client: pg.ClientBase,
  reference: DueReference,
  movement: TokenMovement,
  nowMs: number,
): Promise<AppliedMovement> {
  const { network, intentCode, mode } = reference;
  const { transactionId } = movement;
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
  const paid = await findPaid(client, reference, movement, offered);
  if (paid === undefined) return { outcome: 'ignored', reason: 'nothing_paid' };
  const { acceptance, amountAtomic, feeAtomic, feeRecipient } = paid;
  const payer = payerOfMovement(movement, acceptance.token.address);
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
    { payer, blockTimeMs: blockTimeOf(movement, nowMs), amountAtomic },
  );
  if (step.step === 'unattributed') {
    const { reason } = step;
    const about = { intentId: owner.intentId, payer, amountAtomic: amountAtomic.toString() };
    await writeUnattributed(client, {
      network,
      mode,
      log: { event: 'solana_pay', address: acceptance.token.address, position: positionOf(movement) },
      logIndex: LOG_INDEX,
      reason,
      about,
      nowMs,
    });
    return { outcome: 'unattributed', reason };
  }
  if (step.step === 'credit' && step.removes) await removeQueued(client, owner, held(locked), nowMs);
  const applied = await writeMoney(
    client,
    {
      owner,
      intentCode,
      read: locked?.read,
      acceptance,
      payer,
      amountAtomic,
      nonce: `0x${Buffer.from(claimOf(reference, transactionId)).toString('hex')}`,
      claimKey: claimOf(reference, transactionId),
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

type Paid = {
  /** With the shares of its payout and the address under which that is stored. */
  readonly acceptance: PaidTerms;
  readonly amountAtomic: bigint;
  readonly feeAtomic: bigint;
  readonly feeRecipient: string;
};

/** The acceptance of which the transaction paid the greatest part; undefined when it paid nothing of any. */
async function findPaid(
  client: pg.ClientBase,
  { accountId, mode, network, feeRecipient }: DueReference,
  movement: TokenMovement,
  offered: readonly PaidTerms[],
): Promise<Paid | undefined> {
  const found: Paid[] = [];
  for (const terms of offered) {
    if (terms.network !== network || terms.scheme !== 'exact') continue;
    const name = { network, payoutId: terms.payoutId, merchant: terms.payTo, feeRecipient };
    const payout = await loadStoredPayout(client, { accountId, mode }, name);
    const made = payout && payoutTerms(payout);
    if (payout === undefined || made?.ok !== true) continue;
    const shares = { merchant: payout.merchant, ...made.terms };
    const legs = { mint: terms.token.address, shares, feeRecipient: payout.feeRecipient };
    const { paidAtomic } = measurePayment(movement, legs, terms.amount);
    if (paidAtomic === 0n) continue;
    const amount = atomicAmount(paidAtomic);
    const broken = breakDown(amount, amount, made.terms);
    if (!broken.ok) continue;
    const { feeAtomic } = broken.breakdown;
    // On Solana a payout is stored under the platform's fee account, in the place of a processor.
    const acceptance = { ...terms, payTo: payout.feeRecipient, shares };
    found.push({ acceptance, amountAtomic: paidAtomic, feeAtomic, feeRecipient: payout.feeRecipient });
  }
  const [most] = found.toSorted((one, other) =>
    one.amountAtomic * other.acceptance.amount > other.amountAtomic * one.acceptance.amount ? -1 : 1,
  );
  return most;
}

/** A node may have forgotten the time of a block: then it counts when it is found. */
const blockTimeOf = ({ blockTimeSeconds }: TokenMovement, nowMs: number): number =>
  blockTimeSeconds === undefined ? nowMs : Number(blockTimeSeconds) * 1_000;

const positionOf = ({ transactionId, slot }: TokenMovement) => ({
  transactionId,
  logIndex: LOG_INDEX,
  blockNumber: slot,
});

/** Nobody signed an authorization: the claim is of the transaction itself. */
function claimOf({ network }: DueReference, transactionId: string): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify(['reference', network, transactionId]))
    .digest();
}
