// Applies a `pay()` to the intent of its code, whatever it paid. Money that is for no intent is stored as an unattributed receipt.
import { createHash } from 'node:crypto';
import {
  type AppliedLog,
  DEFAULT_MISMATCH_POLICY,
  type FinalLog,
  judgeReceipt,
  type ProcessorLog,
  type ReceiptFacts,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { loadMismatchPolicy } from '../account/mismatch-policy.ts';
import { sqlNotMoved } from '../database/not-moved.ts';
import { loadLateTerms, loadPaidTerms } from '../intent/late-terms.ts';
import { findProofs } from '../payment/log-proofs.ts';
import { writeUnattributed } from '../payment/unattributed-receipts.ts';
import { lockEarlierParts } from './earlier-parts.ts';
import { findIntentOfCode, type IntentOfCode, type LockedPayment, lockPayment } from './lock-for-apply.ts';
import { loadPending, removeQueued } from './pending-payment.ts';
import { writeMoney } from './write-money.ts';

type Receipt = FinalLog & { readonly log: ProcessorLog };

export async function applyReceipt(
  client: pg.ClientBase,
  network: NetworkId,
  final: Receipt,
  nowMs: number,
): Promise<AppliedLog> {
  const { log } = final;
  const { transactionId, logIndex } = log.position;
  const [proof] = await findProofs(client, [{ network, transactionId, logIndex }]);
  if (proof !== undefined)
    return proof.payment_id === null
      ? { outcome: 'unattributed', reason: proof.reason ?? '' }
      : { outcome: 'recorded', paymentId: proof.payment_id };
  const owner = await findIntentOfCode(client, log.intentCode);
  const present = owner?.isLate === false ? owner : undefined;
  const locked = present && (await lockPayment(client, present, present.paymentId));
  if (present !== undefined && (locked === undefined || locked.read.payment?.id !== (present.paymentId ?? undefined)))
    return { outcome: 'waits', reason: 'locked' };
  const earlierParts = present === undefined ? NONE : await lockEarlierParts(client, present);
  if (earlierParts === undefined) return { outcome: 'waits', reason: 'locked' };
  const payoutMode = await findPayoutMode(client, network, log);
  const step = judgeReceipt(log, await loadFacts(client, network, final, { owner, locked, payoutMode, earlierParts }));
  if (step.step === 'ignore') return { outcome: 'ignored', reason: step.reason };
  if (step.step === 'unattributed' || owner === undefined) {
    const mode = owner?.mode ?? payoutMode;
    if (mode === undefined) throw new Error(`log ${logIndex} of ${transactionId} is of no mode`);
    const reason = step.step === 'unattributed' ? step.reason : 'unknown_intent';
    const about: Record<string, string> = owner === undefined ? {} : { intentId: owner.intentId };
    await writeUnattributed(client, { network, mode, log, logIndex, reason, about, nowMs });
    return { outcome: 'unattributed', reason };
  }
  if (step.step === 'credit' && step.removes && locked !== undefined) await removeQueued(client, owner, locked, nowMs);
  const { received } = final;
  if (received === undefined) throw new Error(`the receipt of ${transactionId} was not read`);
  const money = {
    owner,
    intentCode: log.intentCode,
    read: locked?.read,
    acceptance: step.acceptance,
    payer: log.payer,
    amountAtomic: log.amountAtomic,
    nonce: transactionId,
    claimKey: claimOfLog(network, transactionId, logIndex),
    evidence: { network, transactionId, logIndex, feeAtomic: log.feeAtomic, ...received },
    nowMs,
  };
  return writeMoney(client, money, step);
}

/** A `pay()` uses no authorization: its claim is of the log itself. */
function claimOfLog(network: NetworkId, transactionId: string, logIndex: number): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify(['pay', network, transactionId, logIndex]))
    .digest();
}

const NONE: ReadonlyMap<number, bigint> = new Map();

async function loadFacts(
  client: pg.ClientBase,
  network: NetworkId,
  { blockTimeSeconds, log }: Receipt,
  found: {
    readonly owner: IntentOfCode | undefined;
    readonly locked: LockedPayment | undefined;
    readonly payoutMode: string | undefined;
    readonly earlierParts: ReadonlyMap<number, bigint>;
  },
): Promise<ReceiptFacts> {
  const { owner, locked, earlierParts } = found;
  const facts = {
    network,
    blockTimeMs: Number(blockTimeSeconds) * 1_000,
    isOwnPayout: found.payoutMode !== undefined,
    policy: owner === undefined ? DEFAULT_MISMATCH_POLICY : await loadMismatchPolicy(client, owner),
    earlierParts,
  };
  if (owner === undefined || locked === undefined) {
    // Nothing credits an intent that left: it was canceled, and what is paid for it stands beside it.
    const late = owner && (await loadLateTerms(client, [log.intentCode])).get(log.intentCode);
    return { ...facts, intent: late?.intent, acceptances: late?.offered ?? [], pending: undefined };
  }
  const acceptances = await loadPaidTerms(client, owner, log.intentCode);
  const pending = await loadPending(client, owner, locked);
  return { ...facts, intent: locked.read.intent, acceptances, pending };
}

/** Payouts of ours are below this: the column is a bigint. */
const PAYOUT_END = 2n ** 63n;

/** The mode of the payout; undefined when it is none of ours. */
export async function findPayoutMode(
  client: pg.ClientBase,
  network: NetworkId,
  { address, payoutId }: ProcessorLog,
): Promise<'test' | 'live' | undefined> {
  if (payoutId >= PAYOUT_END) return undefined;
  const { rows } = await client.query<{ mode: 'test' | 'live' }>({
    name: 'find-payout-mode',
    text: `select mode from svc.payouts p where network = $1 and processor = $2 and payout_id = $3::bigint
      and ${sqlNotMoved('p.account_id')}`,
    values: [network, address, payoutId.toString()],
  });
  return rows[0]?.mode;
}
