// Mined batches up to the day they are final. Only then is an item that did not settle called failed, or sent again.
import { type AgeingBatch, isoTime, judgeItem, type LaneItem, type UnsettledOutcome } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { type FailedPart, failPayments } from './end-payments.ts';
import { loadBatchItems } from './load-flight.ts';
import { moveSettlements } from './move-settlements.ts';
import { writeEnds } from './write-ends.ts';

const LOAD = {
  name: 'load-ageing-batches',
  text: `
    select id, transaction_id, block_number, block_hash from svc.batches
    where network = $1 and relayer = any (array(select address from svc.relayers where network = $1))
      and status = 'mined' and block_number <= $2
    order by nonce limit $3`,
};

export async function loadAgeingBatches(
  pool: pg.Pool,
  network: string,
  finalizedNumber: bigint,
  limit: number,
): Promise<readonly AgeingBatch[]> {
  const { rows } = await pool.query<{
    id: string;
    transaction_id: string;
    block_number: string;
    block_hash: string;
  }>({ ...LOAD, values: [network, finalizedNumber.toString(), limit] });
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

/** One transaction. `outcomes` are those of the open items, in their order; recording twice changes nothing. */
export async function recordFinal(
  pool: pg.Pool,
  batch: AgeingBatch,
  outcomes: readonly UnsettledOutcome[],
  nowMs: number,
): Promise<void> {
  if (outcomes.length !== batch.openItems.length) throw new Error(`batch ${batch.id} has other items`);
  const failed: FailedPart[] = [];
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
    await writeEnds(client, await failPayments(client, failed, batch.transactionId, cause), 'mined', nowMs);
    await moveSettlements(client, held, { from: ['mined'], to: 'held' }, nowMs);
    await moveSettlements(client, again, { from: ['mined'], to: 'queued' }, nowMs);
    await client.query({
      name: 'recover-again',
      text: `
        update svc.recoveries set status = 'queued', relayer = null, batch_id = null, updated_at = $2
        where batch_id = $1 and status = 'mined'`,
      values: [batch.id, isoTime(nowMs)],
    });
  });
}
