// Final batches beside what the chain reader read of them.
import {
  BATCH_STATUS,
  isoTime,
  type LaneComparisonStore,
  SETTLEMENT_STATUS,
  type UncomparedBatch,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

export function createLaneComparisonStore(pool: pg.Pool): LaneComparisonStore {
  return {
    loadUncompared: (...given) => loadUncompared(pool, ...given),
    markCompared: (batchIds) => markCompared(pool, batchIds),
  };
}

// The condition on the network repeats that of the index. A log counts only while its proof says that it was read: a release that
// took a batch back and did not know that its logs were counted has left the number too high, and removed the proofs.
const LOAD = {
  name: 'load-uncompared-batches',
  text: `
    select b.id, b.transaction_id, b.block_number, least(b.logs_read, (
        select count(*)::integer from svc.log_proofs proof
        where proof.network = b.network and proof.transaction_id = b.transaction_id and proof.payment_id is not null
          and proof.refund_id is null and proof.read
      )) as logs_read,
      (extract(epoch from $5::timestamptz - b.updated_at) * 1000)::float8 as final_for_ms, (
        select count(*)::integer from svc.settlements s
        where s.batch_id = b.id and s.status ${sqlIs(SETTLEMENT_STATUS.completed)} and s.foreign_transaction_id is null
      ) as completed, (
        select count(*)::integer from svc.read_logs r where r.network = b.network and r.transaction_id = b.transaction_id
      ) as waiting
    from svc.batches b
    where b.network = $1 and b.network like 'eip155:%' and b.status ${sqlIs(BATCH_STATUS.finalized)} and not b.compared
      and b.block_number <= (select min(block_number) from svc.reader_cursors where network = $1)
      and (b.block_number, b.id) > ($2::bigint, $3::text)
    order by b.block_number, b.id limit $4`,
};

type Row = {
  readonly id: string;
  readonly transaction_id: string;
  readonly block_number: string;
  readonly logs_read: number;
  readonly final_for_ms: number;
  readonly completed: number;
  readonly waiting: number;
};

async function loadUncompared(
  pool: pg.Pool,
  network: NetworkId,
  after: UncomparedBatch | undefined,
  limit: number,
  nowMs: number,
): Promise<readonly UncomparedBatch[]> {
  const { rows } = await pool.query<Row>({
    ...LOAD,
    values: [network, (after?.blockNumber ?? -1n).toString(), after?.id ?? '', limit, isoTime(nowMs)],
  });
  return rows.map((row) => ({
    id: row.id,
    transactionId: row.transaction_id,
    blockNumber: BigInt(row.block_number),
    completed: row.completed,
    logsRead: row.logs_read,
    waiting: row.waiting,
    finalForMs: row.final_for_ms,
  }));
}

async function markCompared(pool: pg.Pool, batchIds: readonly string[]): Promise<void> {
  if (batchIds.length === 0) return;
  await pool.query({
    name: 'mark-compared-batches',
    text: 'update svc.batches set compared = true where id = any ($1::text[])',
    values: [batchIds],
  });
}
