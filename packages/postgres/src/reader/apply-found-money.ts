// Applies money that nobody submitted to us and that names its intent by itself: by a reference key, or by a memo. What it
// means is decided as for all such money.
import { createHash } from 'node:crypto';
import { type AppliedMovement, isRemovable, judgeMoney, type PaidTerms, receiptIndex } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { loadMismatchPolicy } from '../account/mismatch-policy.ts';
import { loadLateTerms, loadPaidTerms } from '../intent/late-terms.ts';
import { findProofs, type ProvenRow } from '../payment/log-proofs.ts';
import { deleteReceiptsOf, type FoundReceipt, writeUnattributed } from '../payment/unattributed-receipts.ts';
import { lockEarlierParts } from './earlier-parts.ts';
import {
  findIntentOfCode,
  type IntentOfCode,
  isOwnTransaction,
  type LockedPayment,
  lockPayment,
  lockTransaction,
  type OwnedIntent,
} from './lock-for-apply.ts';
import { loadPending, removeQueued } from './pending-payment.ts';
import { writeMoney } from './write-money.ts';

// Such a transaction has no logs. It proves one payment or one refund, as its log 0.
const LOG_INDEX = 0;
/** A payment by a transaction that proves a refund too. */
const BESIDE_REFUND_INDEX = 1;

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
  /** The money can't be for the intent, because it is older. Absent where nobody knows the reference of an intent before it. */
  readonly precedes?: (intentId: OwnedIntent['intentId']) => boolean;
  /** What was set aside stays so. Absent where a transaction may name several intents, and pays one after all. */
  readonly isDecidedOnce?: true;
  /** Undefined when the transaction paid nothing of what the intent offers. */
  readonly findPaid: (offered: readonly PaidTerms[], owner: OwnedIntent) => Promise<PaidAcceptance | undefined>;
  /** The same without what the refund counts that the transaction proves. Absent where that is always all of it. */
  readonly findPaidBeside?: (
    refund: ProvenRow,
    offered: readonly PaidTerms[],
    owner: OwnedIntent,
  ) => Promise<PaidAcceptance | undefined>;
  /**
   * What it paid to another merchant than the payment of another intent that it proves, without what that counts. Absent where
   * a transaction names one intent alone.
   */
  readonly findPaidElse?: (
    paymentId: string,
    offered: readonly PaidTerms[],
    owner: OwnedIntent,
  ) => Promise<PaidAcceptance | undefined>;
};

export type PaidAcceptance = {
  /** With the shares of its payout and the address under which that is stored. */
  readonly acceptance: PaidTerms;
  readonly merchant: string;
  /** The amount of which every recipient got his share. Zero where one got nothing. */
  readonly amountAtomic: bigint;
  /** What the recipients got beyond that. */
  readonly surplusAtomic?: bigint;
  /** The payout was disabled after it was offered. */
  readonly withdrawn?: boolean;
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
  if (!found.isDecidedOnce) await lockTransaction(client, network, transactionId);
  const aside = found.isDecidedOnce ? [receiptIndex(intentCode)] : [];
  const proofs = await findProofsAt(client, found, [LOG_INDEX, BESIDE_REFUND_INDEX, ...aside]);
  const refund = found.findPaidBeside && proofs.find(({ refund_id }) => refund_id !== null);
  const proof = proofs.find((one) => one !== refund);
  if (proof !== undefined) return (await tellElse(client, found, proof, nowMs)) ?? countedAs(proof);
  // A lane records it, for the payment or the refund that it carries.
  if (await isOwnTransaction(client, network, transactionId)) return { outcome: 'ignored', reason: 'own_transaction' };
  const owner = await findIntentOfCode(client, intentCode);
  if (owner === undefined || found.precedes?.(owner.intentId)) return { outcome: 'ignored', reason: 'unknown_intent' };
  const locked = owner.isLate ? undefined : await lockPayment(client, owner, owner.paymentId);
  if (!owner.isLate && (locked === undefined || locked.read.payment?.id !== (owner.paymentId ?? undefined)))
    return { outcome: 'waits', reason: 'locked' };
  const late = locked === undefined ? (await loadLateTerms(client, [intentCode])).get(intentCode) : undefined;
  const intent = locked?.read.intent ?? late?.intent;
  if (intent === undefined) return { outcome: 'waits', reason: 'locked' };
  const offered = late?.offered ?? (await loadPaidTerms(client, owner, intentCode));
  const paid =
    refund === undefined ? await found.findPaid(offered, owner) : await found.findPaidBeside?.(refund, offered, owner);
  if (paid === undefined) return { outcome: 'ignored', reason: 'nothing_paid' };
  const { acceptance, amountAtomic, surplusAtomic = 0n, feeAtomic, feeRecipient, payer, sender } = paid;
  const logIndex = refund === undefined ? LOG_INDEX : BESIDE_REFUND_INDEX;
  const setAside = (reason: string, asideAtomic: bigint): Promise<void> =>
    writeReceipt(client, { found, owner, paid, reason, asideAtomic, nowMs });
  const unattributed = async (reason: string): Promise<AppliedMovement> => {
    await setAside(reason, amountAtomic + surplusAtomic);
    return { outcome: 'unattributed', reason };
  };
  if (paid.withdrawn) return unattributed('payout_withdrawn');
  if (amountAtomic === 0n) return unattributed('other_terms');
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
  // The little that every recipient got his share of is not what the money was for.
  if (step.step === 'unattributed') return unattributed(surplusAtomic > 0n ? 'other_terms' : step.reason);
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
        logIndex,
        transferLogIndex: logIndex,
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
  if (!found.isDecidedOnce)
    await deleteReceiptsOf(client, { network, transactionId, intentId: owner.intentId, merchant: paid.merchant });
  if (surplusAtomic === 0n) return applied;
  await setAside('surplus', surplusAtomic);
  return { ...applied, surplusAtomic: surplusAtomic.toString() };
}

/** Undefined where the payment that the transaction proves is the intent's own, or has all that the merchant got. */
async function tellElse(
  client: pg.ClientBase,
  found: FoundMoney,
  { payment_id: paymentId }: ProvenRow,
  nowMs: number,
): Promise<AppliedMovement | undefined> {
  const { intentCode, findPaidElse } = found;
  if (findPaidElse === undefined || paymentId === null) return undefined;
  const owner = await findIntentOfCode(client, intentCode);
  if (owner === undefined || (await isCounted(client, owner, paymentId, found.transactionId))) return undefined;
  const offered = owner.isLate
    ? (await loadLateTerms(client, [intentCode])).get(intentCode)?.offered
    : await loadPaidTerms(client, owner, intentCode);
  const paid = offered && (await findPaidElse(paymentId, offered, owner));
  if (paid === undefined) return undefined;
  const reason = 'other_payment';
  const asideAtomic = paid.amountAtomic + (paid.surplusAtomic ?? 0n);
  await writeReceipt(client, { found, owner, paid, reason, asideAtomic, nowMs });
  return { outcome: 'unattributed', reason };
}

// An account that came from another cell left its proof there, if the transaction paid a merchant of this one too.
const IS_COUNTED = {
  name: 'is-transaction-counted',
  text: `
    select from svc.payments
    where account_id = $1 and mode = $2 and intent_id = $3 and id = any ($4) and (id = $5 or transaction_id = $6)`,
};

async function isCounted(
  client: pg.ClientBase,
  { accountId, mode, intentId, paymentId: ownId }: IntentOfCode,
  paymentId: string,
  transactionId: string,
): Promise<boolean> {
  const values = [
    accountId,
    mode,
    intentId,
    ownId === null ? [paymentId] : [paymentId, ownId],
    paymentId,
    transactionId,
  ];
  return (await client.query({ ...IS_COUNTED, values })).rowCount !== 0;
}

type MoneyAside = {
  readonly found: FoundMoney;
  readonly owner: OwnedIntent;
  readonly paid: PaidAcceptance;
  readonly reason: string;
  readonly asideAtomic: bigint;
  readonly nowMs: number;
};

async function writeReceipt(
  client: pg.ClientBase,
  { found, owner, paid, reason, asideAtomic, nowMs }: MoneyAside,
): Promise<void> {
  const { network, event, transactionId, blockNumber } = found;
  const { merchant, payer, acceptance } = paid;
  const logIndex = receiptIndex(found.intentCode);
  await writeUnattributed(client, {
    network,
    mode: owner.mode,
    log: { event, address: acceptance.token.address, position: { transactionId, logIndex, blockNumber } },
    logIndex,
    reason,
    about: { intentId: owner.intentId, merchant, payer, amountAtomic: asideAtomic.toString() },
    nowMs,
  });
}

/** What the transaction proves already, or was set aside as; undefined for nothing. */
export async function findCounted(
  client: pg.ClientBase,
  found: Pick<FoundMoney, 'network' | 'transactionId' | 'intentCode'>,
): Promise<AppliedMovement | undefined> {
  const [first] = await findProofsAt(client, found, [LOG_INDEX, receiptIndex(found.intentCode)]);
  return first && countedAs(first);
}

/** What counts comes before what was set aside. */
async function findProofsAt(
  client: pg.ClientBase,
  { network, transactionId }: Pick<FoundMoney, 'network' | 'transactionId'>,
  indexes: readonly number[],
): Promise<readonly ProvenRow[]> {
  const places = indexes.map((logIndex) => ({ network, transactionId, logIndex }));
  return (await findProofs(client, places)).toSorted((one, other) => one.log_index - other.log_index);
}

function countedAs({ payment_id: paymentId, refund_id: refundId, reason }: ProvenRow): AppliedMovement {
  if (refundId !== null) return { outcome: 'ignored', reason: 'refund' };
  return paymentId === null ? { outcome: 'unattributed', reason: reason ?? '' } : { outcome: 'recorded', paymentId };
}

function held(locked: LockedPayment | undefined): LockedPayment {
  if (locked === undefined) throw new Error('a payment of an intent that left can’t be removed');
  return locked;
}

/** Nobody signed an authorization: the claim is of the transaction itself. */
function claimOf({ foundBy, network, transactionId }: FoundMoney): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([foundBy, network, transactionId]))
    .digest();
}
