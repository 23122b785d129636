// Finalizes mined batches. An item that did not settle is failed, held or queued again only when its batch is final.
import { type AgeingBatch, isoTime, judgeItem, type LaneItem, type UnsettledOutcome } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { loadBatchItems } from '../lane/load-pending-batches.ts';
import { type FailedBatchItem, failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { moveSettlements } from '../settlement/move-settlements.ts';
import { holdRevivable } from '../settlement/reverted-batches.ts';

const LOAD = {
  name: 'load-ageing-batches',
  text: `
    select id, transaction_id, block_number, block_hash from svc.batches
    where network = $1 and relayer = any (array(select address from svc.relayers where network = $1))
      and status = 'mined' and block_number <= $2
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

/** Writes one transaction. `outcomes` are in the order of `batch.openItems`. A second call changes nothing. */
export async function recordFinal(
  pool: pg.Pool,
  batch: AgeingBatch,
  outcomes: readonly UnsettledOutcome[],
  nowMs: number,
): Promise<void> {
  if (outcomes.length !== batch.openItems.length)
    throw new Error(
      `batch ${batch.id} has ${batch.openItems.length} open items, and ${outcomes.length} outcomes were given`,
    );
  const failed: FailedBatchItem[] = [];
  const held: LaneItem[] = [];
  const again: LaneItem[] = [];
  for (const [index, item] of batch.openItems.entries()) {
    const judgement = judgeItem(outcomes[index] ?? 'no_evidence');
    if (judgement.end === 'failed') failed.push({ item, code: judgement.code });
    else (judgement.end === 'held' ? held : again).push(item);
  }
  await inTransaction(pool, async (client) => {
    const changed = await client.query({
      name: 'record-final-batch',
      text: "update svc.batches set status = 'finalized', updated_at = $2 where id = $1 and status = 'mined'",
      values: [batch.id, isoTime(nowMs)],
    });
    if (changed.rowCount !== 1) return;
    const cause = { requestId: batch.id, nowMs };
    const results = await holdRevivable(client, failed);
    await writePaymentResults(
      client,
      await failPayments(client, results.failed, batch.transactionId, cause),
      'mined',
      nowMs,
    );
    await moveSettlements(client, [...held, ...results.heldItems], { from: ['mined'], to: 'held' }, nowMs);
    await moveSettlements(client, again, { from: ['mined'], to: 'queued' }, nowMs);
    await client.query({
      name: 'stranded-again',
      text: `
        update svc.stranded_transfers set status = 'queued', relayer = null, batch_id = null, updated_at = $2
        where batch_id = $1 and status = 'mined'`,
      values: [batch.id, isoTime(nowMs)],
    });
  });
}
