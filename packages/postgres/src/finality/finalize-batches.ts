// Finalizes mined batches. An item that did not settle is failed, held or queued again only when its batch is final.
import {
  type AgeingBatch,
  BATCH_STATUS,
  BATCH_TRANSITIONS,
  decideFinal,
  isoTime,
  type LinkedItem,
  NO_LINK,
  requireOutcomes,
  SETTLEMENT_STATUS,
  TRANSFERS_WHEN_FINAL,
  type UnsettledOutcome,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs, sqlStep } from '../database/status-sql.ts';
import { loadBatchItems } from '../lane/load-pending-batches.ts';
import { linkPayments } from '../payment/link-payments.ts';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { holdSettlements, moveSettlements } from '../settlement/move-settlements.ts';
import { loadRevertedBatches } from '../settlement/reverted-batches.ts';

const LOAD = {
  name: 'load-ageing-batches',
  text: `
    select id, transaction_id, block_number, block_hash from svc.batches
    where network = $1 and relayer = any (array(select address from svc.relayers where network = $1))
      and status ${sqlIs(BATCH_STATUS.mined)} and block_number <= $2
      and ($4::text is null or (nonce, id) > (select last.nonce, last.id from svc.batches last where last.id = $4))
    order by nonce, id limit $3`,
};

export async function loadAgeingBatches(
  pool: pg.Pool,
  network: string,
  finalizedNumber: bigint,
  limit: number,
  afterBatchId?: string,
): Promise<readonly AgeingBatch[]> {
  const { rows } = await pool.query<{
    id: string;
    transaction_id: string;
    block_number: string;
    block_hash: string;
  }>({ ...LOAD, values: [network, finalizedNumber.toString(), limit, afterBatchId ?? null] });
  if (rows.length === 0) return [];
  const items = await loadBatchItems(
    pool,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    transactionId: row.transaction_id,
    blockNumber: BigInt(row.block_number),
    blockHash: row.block_hash,
    openItems: items.get(row.id) ?? [],
  }));
}

const FINAL = sqlStep(BATCH_TRANSITIONS, BATCH_STATUS.mined, BATCH_STATUS.finalized);
const FINALIZE = {
  name: 'record-final-batch',
  text: `update svc.batches set status = ${FINAL.to}, updated_at = $2 where id = $1 and status ${FINAL.from}`,
};

const FINALIZE_SETTLED = {
  name: 'record-settled-final',
  text: `
    update svc.batches b set status = ${FINAL.to}, updated_at = $2
    where id = any ($1) and status ${FINAL.from} and not exists (
      select from svc.stranded_transfers t where t.batch_id = b.id and t.status = $3
    )
    returning id`,
};

/** Of batches without an open item. Sorted, so that two processes lock rows in one order. */
export async function recordSettledFinal(
  pool: pg.Pool,
  batchIds: readonly string[],
  nowMs: number,
): Promise<readonly string[]> {
  const values = [batchIds.toSorted(), isoTime(nowMs), TRANSFERS_WHEN_FINAL.from];
  const { rows } = await pool.query<{ id: string }>({ ...FINALIZE_SETTLED, values });
  return rows.map(({ id }) => id);
}

/** Writes one transaction. `outcomes` are in the order of `batch.openItems`. A second call changes nothing. */
export async function recordFinal(
  pool: pg.Pool,
  batch: AgeingBatch,
  outcomes: readonly UnsettledOutcome[],
  nowMs: number,
): Promise<void> {
  requireOutcomes(batch, outcomes);
  await inTransaction(pool, async (client) => {
    const changed = await client.query({
      ...FINALIZE,
      values: [batch.id, isoTime(nowMs)],
    });
    if (changed.rowCount !== 1) return;
    const reverted = await loadRevertedBatches(client, batch.openItems);
    const { failed, held, queued } = decideFinal(batch, outcomes, reverted);
    const origin = { requestId: batch.id, nowMs };
    const { mined } = SETTLEMENT_STATUS;
    const results = await failPayments(client, failed, batch.transactionId, origin);
    await writePaymentResults(client, results, mined, nowMs);
    await holdSettlements(client, held, mined, nowMs);
    const gone = await moveSettlements(client, queued, { from: [mined], to: SETTLEMENT_STATUS.queued }, nowMs);
    // The API queues a refused payment again, and may not write the payment.
    const refused = held.filter(({ refusal }) => refusal !== null).map(({ item }) => item);
    const transfers = await queueTransfers(client, batch, nowMs);
    await linkPayments(
      client,
      [...gone, ...refused, ...transfers].map((item) => ({ item, link: NO_LINK, requestId: batch.id })),
      nowMs,
    );
  });
}

/** Returns the payments of the transfers that left the batch. */
async function queueTransfers(
  client: pg.ClientBase,
  { id }: AgeingBatch,
  nowMs: number,
): Promise<readonly LinkedItem['item'][]> {
  const { from, to } = TRANSFERS_WHEN_FINAL;
  const { rows } = await client.query<LinkedItem['item']>({
    name: 'stranded-again',
    text: `
      update svc.stranded_transfers set status = $4, relayer = null, batch_id = null, updated_at = $2
      where batch_id = $1 and status = $3
      returning account_id as "accountId", mode, payment_id as "paymentId", intent_id as "intentId"`,
    values: [id, isoTime(nowMs), from, to],
  });
  return rows;
}
