// Records authorization outcomes that finalized logs prove. Each is one transaction, and is written only if the
// settlement still has the status for which the proof was made.
import {
  bookStranding,
  type ClaimedPayment,
  type HeldCompletion,
  isoTime,
  type LaneItem,
  liveLosses,
  type MinedBatch,
  reverseLosses,
  type StrandedAuthorization,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { loadLosses, writeLosses } from '../ledger/gas-losses.ts';
import { completePayments, failPayments } from '../payment/payment-results.ts';
import { writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import { moveSettlements } from '../settlement/move-settlements.ts';
import { findRevivable } from '../settlement/reverted-batches.ts';
import { closeAuthorizations } from './watched-authorizations.ts';

const STRANDED = namedParameters({
  account_id: 'text',
  mode: 'text',
  claim_key: 'bytea',
  intent_id: 'text',
  payment_id: 'text',
  network: 'text',
  stranded_transaction_id: 'text',
  stranded_log_index: 'integer',
  created_at: 'timestamptz',
});
const { account_id, mode: inMode, payment_id, created_at } = STRANDED.at;
const ACTION = `case when ${payment_id} is null then 'hold' when s.status = 'held' then 'settle' else 'return' end`;
const STRAND = {
  name: 'record-stranding',
  text: `
    ${insertText(
      'svc.stranded_transfers',
      { ...STRANDED.at, action: ACTION, status: `'queued'`, updated_at: created_at },
      `from (select 1) one
    left join svc.settlements s on s.account_id = ${account_id} and s.mode = ${inMode} and s.payment_id = ${payment_id}
    where ${payment_id} is null or s.status in ('held', 'failed', 'canceled')`,
    )}
    on conflict do nothing
    returning action`,
};

/** Action of the stranded transfer; undefined if it was recorded before, or its payment is in progress again. */
export async function recordStranding(
  pool: pg.Pool,
  stranded: StrandedAuthorization,
  nowMs: number,
): Promise<'settle' | 'return' | 'hold' | undefined> {
  const { accountId, mode, claimKey, intentId, item, network, position } = stranded;
  return inTransaction(pool, async (client) => {
    // The row lock lasts until the commit: no process queues the payment or writes its result meanwhile.
    await client.query({
      name: 'lock-settlement',
      text: 'select from svc.settlements where account_id = $1 and mode = $2 and payment_id = $3 for update',
      values: [accountId, mode, item?.paymentId ?? null],
    });
    const { rows } = await client.query<{ action: 'settle' | 'return' | 'hold' }>({
      ...STRAND,
      values: STRANDED.values({
        account_id: accountId,
        mode,
        claim_key: Buffer.from(claimKey),
        intent_id: intentId,
        payment_id: item?.paymentId ?? null,
        network,
        stranded_transaction_id: position.transactionId,
        stranded_log_index: position.logIndex,
        created_at: isoTime(nowMs),
      }),
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    if (item !== null) await writeEntries(client, bookStranding(network, item, position, { nowMs }));
    await closeAuthorizations(client, [stranded], nowMs);
    return row.action;
  });
}

/** Fails a held payment whose authorization was used up without its money reaching the processor. */
export async function failHeld(pool: pg.Pool, payment: ClaimedPayment, code: ErrorCode, nowMs: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const results = await failPayments(client, [{ item: payment.item, code }], null, cause);
    await writePaymentResults(client, results, 'held', nowMs);
  });
}

/**
 * Queues held payments again whose reason to be held a reorg has removed. A payment with a reverted batch that is not
 * final stays held: the lane would only hold it again.
 */
export async function queueHeld(pool: pg.Pool, payments: readonly ClaimedPayment[], nowMs: number): Promise<void> {
  const open = await findRevivable(
    pool,
    payments.map(({ item }) => item),
  );
  const items = payments.map(({ item }) => item).filter(({ paymentId }) => !open.has(paymentId));
  await moveSettlements(pool, items, { from: ['held'], to: 'queued' }, nowMs);
}

const BIND = {
  name: 'bind-settlement-to-batch',
  text: `
    update svc.settlements s set relayer = b.relayer, batch_id = b.id, updated_at = $5
    from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
    where s.account_id = $1 and s.mode = $2 and s.payment_id = $3 and s.status = 'held'
      and t.network = s.network and t.transaction_id = $4 and b.transaction_id = t.transaction_id
      and b.status in ('mined', 'finalized')
    returning b.id as batch_id, b.relayer, b.gas_booked or exists (
      select from svc.ledger_entries e
      join svc.settlements other on other.account_id = e.account_id and other.mode = e.mode
        and other.payment_id = e.payment_id
      where other.batch_id = b.id and e.transaction_id = t.transaction_id and e.asset = 'native'
    ) as gas_booked`,
};

const IN_FLIGHT = {
  name: 'find-awaited-batch-of-transaction',
  text: `
    select from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
    where t.network = $1 and t.transaction_id = $2
      and (b.status in ('signed', 'broadcast') or (b.status in ('mined', 'finalized') and b.transaction_id = $2))`,
};

/** Completes a held payment from the processor's own event. */
export async function completeHeld(
  pool: pg.Pool,
  network: NetworkId,
  { item }: ClaimedPayment,
  mined: MinedBatch,
  gasCoin: Rate | undefined,
  nowMs: number,
): Promise<HeldCompletion> {
  return inTransaction(pool, async (client): Promise<HeldCompletion> => {
    const { rows } = await client.query<{ batch_id: string; relayer: string; gas_booked: boolean }>({
      ...BIND,
      values: [item.accountId, item.mode, item.paymentId, mined.transactionId, isoTime(nowMs)],
    });
    const [bound] = rows;
    const [part] = mined.items;
    if (bound === undefined) {
      const pendingBatch = await client.query({ ...IN_FLIGHT, values: [network, mined.transactionId] });
      return pendingBatch.rows.length > 0 ? 'in_flight' : 'unrecorded';
    }
    if (part?.outcome !== 'settled') return 'unrecorded';
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const lane = { network, relayer: bound.relayer };
    // If the batch's gas is booked, this payment takes over only the loss that was booked for it.
    const gasAtomic = bound.gas_booked ? await takeLossOver(client, bound.batch_id, item, nowMs) : mined.gasCostAtomic;
    const settled = { batch: mined, parts: [{ item, mined: part }], gas: new Map([[item.paymentId, gasAtomic]]) };
    await writePaymentResults(client, await completePayments(client, lane, settled, gasCoin, cause), 'held', nowMs);
    return 'completed';
  });
}

/**
 * Reverses the gas loss booked for a payment that its batch did settle. The amount is the payment's gas share instead.
 */
async function takeLossOver(
  client: pg.ClientBase,
  batchId: string,
  { paymentId }: LaneItem,
  nowMs: number,
): Promise<bigint> {
  const losses = liveLosses((await loadLosses(client, [batchId])).get(batchId) ?? []);
  const own = losses.filter((loss) => loss.paymentId === paymentId);
  await writeLosses(client, reverseLosses(own, { nowMs }));
  return own.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
}
