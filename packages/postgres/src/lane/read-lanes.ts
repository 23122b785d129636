// Lanes with their latest batches, for display.
import { type BatchStatus, RELAYER_STATUS, SETTLEMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';

export type SeenLane = {
  readonly network: string;
  readonly relayer: string;
  readonly condition: string;
  readonly awake: boolean;
  readonly nextNonce: string;
  /** In the native coin; null before settlement has first checked it. */
  readonly balance: string | null;
  /** Latest first. */
  readonly batches: readonly LaneBatch[];
};

export type LaneBatch = {
  readonly id: string;
  readonly nonce: string;
  readonly status: BatchStatus;
  readonly itemCount: number;
  readonly transactionId: string;
  readonly blockNumber: string | null;
  readonly createdAt: Date;
};

export type LanesSeen = {
  readonly lanes: readonly SeenLane[];
  /** Number of payments that wait for a transaction, and of those whose outcome is not concluded. */
  readonly waiting: { readonly queued: number; readonly held: number };
};

const LANES = `
  select network, address as relayer, condition, awake, next_nonce::text as "nextNonce", balance::text
  from svc.relayers where duty = 'settle' and status ${sqlIsNot(RELAYER_STATUS.retired)} order by network, address`;
const BATCHES = `
  select id, nonce::text, status, item_count as "itemCount", transaction_id as "transactionId",
    block_number::text as "blockNumber", created_at as "createdAt"
  from svc.batches where network = $1 and relayer = $2 order by nonce desc, id desc limit $3`;
const WAITING = `
  select count(*) filter (where status ${sqlIs(SETTLEMENT_STATUS.queued)})::integer as queued,
    count(*) filter (where status ${sqlIs(SETTLEMENT_STATUS.held)})::integer as held
  from svc.settlements where status ${sqlIs(SETTLEMENT_STATUS.queued, SETTLEMENT_STATUS.held)}`;

export async function readLanes(pool: pg.Pool, batchesPerLane: number): Promise<LanesSeen> {
  const { rows } = await pool.query<Omit<SeenLane, 'batches'>>(LANES);
  // Awaited together: a query that fails while nobody awaits it yet would end the process.
  const [lanes, waiting] = await Promise.all([
    Promise.all(
      rows.map(async (lane) => {
        const batches = await pool.query<LaneBatch>(BATCHES, [lane.network, lane.relayer, batchesPerLane]);
        return { ...lane, batches: batches.rows };
      }),
    ),
    pool.query<LanesSeen['waiting']>(WAITING),
  ]);
  return { lanes, waiting: waiting.rows[0] ?? { queued: 0, held: 0 } };
}
