// Lanes of a network as the database has them, and what it knows of the network's blocks.
import {
  BATCH_STATUS,
  type DirectWallet,
  isoTime,
  type Lane,
  type LaneLease,
  type LaneToRestore,
  LOST_LANE,
  RECORDED_BATCH,
  type RecordedBlocks,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';
import { raiseNonce } from './restore-transaction.ts';

export async function loadLanes(pool: pg.Pool, network: NetworkId): Promise<readonly LaneToRestore[]> {
  const { rows } = await pool.query<{ address: string; duty: 'settle' | 'resolve_stranded'; next_nonce: string }>(
    'select address, duty, next_nonce from svc.relayers where network = $1 order by address',
    [network],
  );
  return rows.map((row) => ({
    network,
    relayer: row.address,
    duty: row.duty,
    nextNonce: BigInt(row.next_nonce),
  }));
}

export async function loadWallets(pool: pg.Pool, network: NetworkId): Promise<readonly DirectWallet[]> {
  const { rows } = await pool.query<DirectWallet>(
    `select distinct lower(merchant) as wallet, lower(asset) as asset from svc.payouts
     where network = $1 and kind = 'direct'`,
    [network],
  );
  return rows;
}

type StepRow = { readonly relayer: string; readonly nonce: string; readonly block: string | null };

export async function loadRecordedBlocks(pool: pg.Pool, network: NetworkId): Promise<RecordedBlocks> {
  const { rows: ends } = await pool.query<{ final: string | null; first: string | null }>(
    `select max(block_number) filter (where status ${sqlIs(BATCH_STATUS.finalized)}) as final, min(block_number) as first
     from svc.batches where network = $1 and status ${sqlIs(...RECORDED_BATCH)}`,
    [network],
  );
  const { rows: steps } = await pool.query<StepRow>(
    `with known as (
       select relayer, nonce, max(block_number) over (partition by relayer order by nonce) as block,
         lead(nonce) over (partition by relayer order by nonce) as next
       from svc.batches where network = $1 and status ${sqlIs(...RECORDED_BATCH, BATCH_STATUS.replaced)}
     )
     select distinct on (relayer) relayer, nonce, block from known
     where next is distinct from nonce + 1 and (next is null or next <> nonce) order by relayer, nonce`,
    [network],
  );
  const [end] = ends;
  return {
    finalBlock: blockOf(end?.final),
    firstBlock: blockOf(end?.first),
    unbroken: steps.map(({ relayer, nonce, block }) => ({ relayer, nonce: BigInt(nonce), block: blockOf(block) })),
  };
}

const blockOf = (block: string | null | undefined) =>
  block === null || block === undefined ? undefined : BigInt(block);

export async function addLostLane(
  pool: pg.Pool,
  lane: Lane,
  processor: string,
  duty: LaneToRestore['duty'],
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at, duty)
     select $1, $2, mode, $4, $5, $6, $7 from svc.payouts where network = $1 and processor = $3 limit 1
     on conflict do nothing`,
    [lane.network, lane.relayer, processor, LOST_LANE.nextNonce.toString(), LOST_LANE.status, isoTime(nowMs), duty],
  );
  return rowCount === 1;
}

/** Nonces below `count` that no batch of the database has, from `from` on or from the lane's first batch if lower. */
export async function findMissingNonces(
  pool: pg.Pool,
  lane: Lane,
  from: bigint,
  count: bigint,
): Promise<readonly bigint[]> {
  const { rows } = await pool.query<{ nonce: string }>(
    `with used as (
       select nonce from svc.batches where network = $1 and relayer = $2 and status ${sqlIsNot(BATCH_STATUS.dropped)}
     )
     select series.nonce from generate_series(
       least((select min(nonce) from used), $4::bigint), $3::bigint - 1
     ) as series (nonce)
     where not exists (select from used where used.nonce = series.nonce) order by series.nonce`,
    [lane.network, lane.relayer, count.toString(), from.toString()],
  );
  return rows.map(({ nonce }) => BigInt(nonce));
}

export async function liftLane(
  pool: pg.Pool,
  lease: LaneLease,
  count: bigint,
  nowMs: number,
): Promise<bigint | undefined> {
  return inTransaction(pool, async (client) => {
    const nextNonce = await raiseNonce(client, lease, count, nowMs);
    if (nextNonce === undefined) return undefined;
    await client.query(
      `update svc.relayers set obstacle = null, obstacle_since = null, awake = false, updated_at = $4
       where network = $1 and address = $2 and epoch = $3`,
      [lease.network, lease.relayer, lease.epoch.toString(), isoTime(nowMs)],
    );
    return nextNonce;
  });
}
