// Lanes of a network as the database has them, and the block from which on the database may miss transactions.
import { isoTime, type Lane, type LaneLease } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

export type LaneToRestore = Lane & { readonly duty: 'settle' | 'resolve_stranded'; readonly nextNonce: bigint };

export async function listLanes(pool: pg.Pool, network: NetworkId): Promise<readonly LaneToRestore[]> {
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

type StepRow = { readonly relayer: string; readonly nonce: string; readonly block: string | null };

/**
 * The last block up to which the database certainly has every transaction: the newest
 * block with a final batch, or an earlier one if a relayer has since used nonces that
 * no recorded batch has. `counts` is each relayer's transaction count on chain.
 */
export async function lastKnownBlock(
  pool: pg.Pool,
  network: NetworkId,
  counts: ReadonlyMap<string, bigint>,
): Promise<bigint | undefined> {
  const { rows: ends } = await pool.query<{ final: string | null; first: string | null }>(
    `select max(block_number) filter (where status = 'finalized') as final, min(block_number) as first
     from svc.batches where network = $1 and status in ('mined', 'finalized')`,
    [network],
  );
  const { rows: steps } = await pool.query<StepRow>(
    `with known as (
       select relayer, nonce, max(block_number) over (partition by relayer order by nonce) as block,
         lead(nonce) over (partition by relayer order by nonce) as next
       from svc.batches where network = $1 and status in ('mined', 'finalized', 'replaced')
     )
     select distinct on (relayer) relayer, nonce, block from known
     where next is distinct from nonce + 1 and (next is null or next <> nonce) order by relayer, nonce`,
    [network],
  );
  const behind = steps.filter(({ relayer, nonce }) => (counts.get(relayer) ?? 0n) > BigInt(nonce) + 1n);
  const blocks = [ends[0]?.final ?? ends[0]?.first, ...behind.map(({ block }) => block)].flatMap((block) =>
    block === null || block === undefined ? [] : [BigInt(block)],
  );
  return blocks.reduce<bigint | undefined>((low, block) => (low === undefined || block < low ? block : low), undefined);
}

/** Adds a relayer that began after the backup. It is `draining` until an operator activates it: its key may be lost. */
export async function addLostLane(pool: pg.Pool, lane: Lane, processor: string, nowMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     select $1, $2, mode, 0, 'draining', $4 from svc.payouts where network = $1 and processor = $3 limit 1
     on conflict do nothing`,
    [lane.network, lane.relayer, processor, isoTime(nowMs)],
  );
  return rowCount === 1;
}

/** Nonces below `count` that no batch of the database has used, from the lane's first known nonce on. */
export async function missingNonces(pool: pg.Pool, lane: Lane, count: bigint): Promise<readonly bigint[]> {
  const { rows } = await pool.query<{ nonce: string }>(
    `with used as (
       select nonce from svc.batches where network = $1 and relayer = $2 and status <> 'dropped'
     )
     select series.nonce from generate_series(
       least(
         (select min(nonce) from used),
         (select next_nonce from svc.relayers where network = $1 and address = $2)
       ), $3::bigint - 1
     ) as series (nonce)
     where not exists (select from used where used.nonce = series.nonce) order by series.nonce`,
    [lane.network, lane.relayer, count.toString()],
  );
  return rows.map(({ nonce }) => BigInt(nonce));
}

/**
 * Raises the lane's next nonce to at least `count`, clears its obstacle and puts it to sleep. Returns the next nonce;
 * undefined when the lane was taken over.
 */
export async function liftLane(
  pool: pg.Pool,
  lease: LaneLease,
  count: bigint,
  nowMs: number,
): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ next_nonce: string }>(
    `update svc.relayers
     set next_nonce = greatest(next_nonce, $4), obstacle = null, obstacle_since = null, awake = false, updated_at = $5
     where network = $1 and address = $2 and epoch = $3
     returning next_nonce`,
    [lease.network, lease.relayer, lease.epoch.toString(), count.toString(), isoTime(nowMs)],
  );
  return rows[0] === undefined ? undefined : BigInt(rows[0].next_nonce);
}
