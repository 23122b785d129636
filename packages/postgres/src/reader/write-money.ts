// Writes money that nobody submitted to us, as core judged it: it completes its intent, or it is a `mismatched` payment.
import {
  type AppliedLog,
  type ForeignEvidence,
  foreignCompletion,
  isoTime,
  type MismatchDraft,
  type MoneyStep,
  mismatchedPayment,
  type PaidTerms,
  SETTLEMENT_STATUS,
  unclaimedItem,
} from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { writeEvents } from '../event/write-events.ts';
import { bringBackIntent } from '../intent/late-terms.ts';
import { type IntentToChange, loadIntentsToChange } from '../intent/load-intent.ts';
import {
  insertMismatchedPayment,
  insertUnclaimedPayment,
  type UnclaimedRow,
} from '../payment/insert-unclaimed-payment.ts';
import { writeProofs } from '../payment/log-proofs.ts';
import { writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import type { OwnedIntent } from './lock-for-apply.ts';

export type MoneyToWrite = {
  readonly owner: OwnedIntent;
  readonly intentCode: bigint;
  /** Under its lock. Undefined for an intent that left unpaid: it comes back. */
  readonly read: IntentToChange | undefined;
  readonly acceptance: PaidTerms;
  readonly payer: string;
  readonly amountAtomic: bigint;
  /** 0x-hex; of money without an authorization, its transaction id. */
  readonly nonce: string;
  readonly claimKey: Uint8Array;
  readonly evidence: ForeignEvidence;
  readonly nowMs: number;
};

export type PaidStep = Exclude<MoneyStep, { readonly step: 'unattributed' }>;

export async function writeMoney(client: pg.ClientBase, money: MoneyToWrite, step: PaidStep): Promise<AppliedLog> {
  const { acceptance, claimKey, evidence, nowMs, payer, amountAtomic, nonce, intentCode } = money;
  const { accountId, mode, intentId } = money.owner;
  const paymentId = newId('payment', nowMs);
  const owner = { accountId, mode, intentId, paymentId, intentCode };
  const row: UnclaimedRow = {
    network: evidence.network,
    item: unclaimedItem({ owner, acceptance, payer, amountAtomic, nonce }),
    askedAtomic: acceptance.amount,
    paidTotalAtomic: step.step === 'credit' ? step.paidTotalAtomic : null,
    refundDueAtomic: step.refundDueAtomic,
    claimKey,
    tokenShortcode: acceptance.token.shortcode,
    position: acceptance.position,
    direct: acceptance.direct !== undefined,
    nowMs,
  };
  const ids = { intentId, paymentId };
  if (step.step === 'mismatch') {
    await writeMismatch(client, money, row, step);
    return { outcome: 'mismatched', ...ids, reason: step.reason };
  }
  await insertUnclaimedPayment(client, row);
  const before = (await loadIntentsToChange(client, [owner])).get(intentId);
  const result = foreignCompletion(before, row.item, evidence, { requestId: newId('batch', nowMs), nowMs });
  await writePaymentResults(client, [result], SETTLEMENT_STATUS.held, nowMs);
  return { outcome: 'completed', ...ids };
}

async function writeMismatch(
  client: pg.ClientBase,
  { owner, intentCode, acceptance, evidence, nowMs, ...money }: MoneyToWrite,
  row: UnclaimedRow,
  { standing, refundDueAtomic }: Extract<PaidStep, { readonly step: 'mismatch' }>,
): Promise<void> {
  const read = money.read ?? (await bringBackIntent(client, owner, intentCode, acceptance, nowMs));
  const counts = standing !== 'aside';
  const written = await insertMismatchedPayment(client, row, { ...evidence, counts });
  const terms = { evidence, acceptance, standing, refundDueAtomic, ...written };
  const draft = mismatchedPayment(read, row.item, terms, { requestId: newId('batch', nowMs), nowMs });
  await changeIntent(client, read, draft, counts, nowMs);
  await writeEntries(client, draft.entries);
  await writeEvents(
    client,
    draft.events.map((event) => ({ event, owner })),
  );
  await writeProofs(client, [{ ...draft.proof, ...owner, paymentId: draft.payment.id, read: true, nowMs }]);
}

/** A payment that counts changes the intent and is named by it. Of another only the events are counted. */
async function changeIntent(
  client: pg.ClientBase,
  { intent: { accountId, mode, id }, version }: IntentToChange,
  { intent, payment, events }: MismatchDraft,
  counts: boolean,
  nowMs: number,
): Promise<void> {
  const owner = [accountId, mode, id, version, events.length, isoTime(nowMs)];
  const { rowCount } = await client.query(
    counts
      ? {
          name: 'write-mismatched-intent',
          text: `
            update svc.intents
            set event_sequence = event_sequence + $5, version = version + 1, updated_at = $6, status = $7, payment_id = $8,
              has_parts = true, amount = $9, ledger_id = $10, network = $11, token_shortcode = $12, confirmations = $13
            where account_id = $1 and mode = $2 and id = $3 and version = $4`,
          values: [
            ...owner,
            intent.status,
            payment.id,
            intent.amount.toString(),
            intent.ledgerId,
            intent.network,
            intent.tokenShortcode,
            intent.confirmations,
          ],
        }
      : {
          name: 'count-intent-events',
          text: `
            update svc.intents set event_sequence = event_sequence + $5, version = version + 1, updated_at = $6
            where account_id = $1 and mode = $2 and id = $3 and version = $4`,
          values: owner,
        },
  );
  if (rowCount !== 1) throw new Error(`intent ${id} has changed under its lock`);
}
