// Completes a refund from the final log that proves it: one transaction.
import {
  isoTime,
  OPEN_REFUND,
  REFUND_STATUS,
  REFUND_TRANSITIONS,
  type RefundCompleted,
  type RefundEvidence,
  type RefundKey,
  type RefundResult,
  refundResult,
  type StoredPayment,
} from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlStep } from '../database/status-sql.ts';
import { writeEvents } from '../event/write-events.ts';
import { lockIntent, type PaymentRow, paymentJson, paymentOf } from '../intent/load-intent.ts';
import { deleteUnattributed } from '../payment/unattributed-receipts.ts';
import { writeEntries } from '../payment/write-payment-results.ts';
import { type LockedRefund, lockRefund, writeTotals } from './lock-refund.ts';

export function completeRefund(
  pool: pg.Pool,
  key: RefundKey,
  evidence: RefundEvidence,
  nowMs: number,
): Promise<RefundCompleted> {
  return inTransaction(pool, async (client) => {
    const locked = await lockRefund(client, key);
    const { row, totals } = locked;
    if (row.status === REFUND_STATUS.completed) return 'completed_before';
    if (!(OPEN_REFUND as readonly string[]).includes(row.status))
      throw new Error(`refund ${key.id} is ${row.status}, and ${evidence.transactionId} shows its transfer`);
    const payment = await lockPayment(client, row);
    const read = await lockIntent(client, key, row.intent_id);
    if (payment === undefined || read === undefined)
      throw new Error(`payment ${row.payment_id} of refund ${key.id}, or its intent, is gone`);
    const { intent, eventSequence } = read;
    const refund = { ...row, reservedAtomic: BigInt(row.reserved) };
    const origin = { requestId: newId('request', nowMs), nowMs };
    const result = refundResult({ refund, totals, intent, payment, eventSequence }, evidence, origin);
    if (result === undefined) return 'exceeds';
    if (!(await writeProof(client, locked, evidence, nowMs))) return 'taken';
    await writeCompleted(client, locked, evidence, nowMs);
    await writeTotals(client, row, result.totals);
    await writePayment(client, locked, payment.status, result, nowMs);
    await writeEntries(client, result.entries);
    await writeEvents(
      client,
      result.events.map((event) => ({ event, owner: intent })),
    );
    return 'completed';
  });
}

const LOCK_PAYMENT = {
  name: 'lock-refunded-payment',
  text: `
    select ${paymentJson('p')} as payment from svc.payments p
    where p.account_id = $1 and p.mode = $2 and p.id = $3 for update`,
};

async function lockPayment(
  client: pg.ClientBase,
  { account_id, mode, payment_id }: LockedRefund['row'],
): Promise<StoredPayment | undefined> {
  const values = [account_id, mode, payment_id];
  const { rows } = await client.query<{ payment: PaymentRow }>({ ...LOCK_PAYMENT, values });
  return rows[0] && paymentOf(rows[0].payment);
}

const PROVE = {
  name: 'prove-refund',
  text: `
    insert into svc.log_proofs (
      network, transaction_id, log_index, account_id, mode, payment_id, refund_id, read, created_at
    ) values ($1, $2, $3, $4, $5, $6, $7, true, $8)
    on conflict do nothing`,
};

/** False when the log proves something else. */
async function writeProof(
  client: pg.ClientBase,
  { row }: LockedRefund,
  { transactionId, logIndex }: RefundEvidence,
  nowMs: number,
): Promise<boolean> {
  // The recipient may be a wallet that the chain reader reads: then the log was stored as a receipt that pays no intent.
  await deleteUnattributed(client, { network: row.network, transactionId, logIndex });
  const values = [
    row.network,
    transactionId,
    logIndex,
    row.account_id,
    row.mode,
    row.payment_id,
    row.id,
    isoTime(nowMs),
  ];
  return (await client.query({ ...PROVE, values })).rowCount === 1;
}

const COMPLETED = sqlStep(REFUND_TRANSITIONS, OPEN_REFUND, 'completed');
// A reported transfer may have come from another wallet of the account than the one that was paid.
const COMPLETE = {
  name: 'complete-refund',
  text: `
    update svc.refunds
    set status = ${COMPLETED.to}, amount = $4, wallet = $5, recipient = $6, transaction_id = $7, log_index = $8,
      reserved = 0, retry_at = null, refusal = null, completed_at = $9, updated_at = $9
    where account_id = $1 and mode = $2 and id = $3 and status ${COMPLETED.from}`,
};

async function writeCompleted(
  client: pg.ClientBase,
  { row }: LockedRefund,
  { amountAtomic, wallet, recipient, transactionId, logIndex }: RefundEvidence,
  nowMs: number,
): Promise<void> {
  const key = [row.account_id, row.mode, row.id];
  const values = [...key, amountAtomic.toString(), wallet, recipient, transactionId, logIndex, isoTime(nowMs)];
  await client.query({ ...COMPLETE, values });
}

const WRITE_PAYMENT = {
  name: 'write-refunded-payment',
  text: `
    with paid as (
      update svc.payments set status = $4, refunded_amount = $5, updated_at = $6
      where account_id = $1 and mode = $2 and id = $3 and status = $7
      returning intent_id
    )
    update svc.intents intent
    set event_sequence = event_sequence + $8, version = version + 1, updated_at = $6
    from paid where intent.account_id = $1 and intent.mode = $2 and intent.id = paid.intent_id`,
};

async function writePayment(
  client: pg.ClientBase,
  { row }: LockedRefund,
  from: StoredPayment['status'],
  { payment, totals, events }: RefundResult,
  nowMs: number,
): Promise<void> {
  const { rowCount } = await client.query({
    ...WRITE_PAYMENT,
    values: [
      row.account_id,
      row.mode,
      row.payment_id,
      payment.status,
      totals.refundedAtomic.toString(),
      isoTime(nowMs),
      from,
      events.length,
    ],
  });
  if (rowCount !== 1) throw new Error(`payment ${row.payment_id} of refund ${row.id} has changed`);
}
