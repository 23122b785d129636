// The fence of a lane. A take-over increments the epoch, and every write names the epoch of its lease: a process that
// was replaced writes nothing, however long it keeps running.
import { isoTime, type Lane, type LaneLease, type LaneObstacle, type LaneState } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';

const TAKE_OVER = {
  name: 'lane-take-over',
  text: `
    update svc.relayers set epoch = epoch + 1, awake = true, heartbeat_at = $3, updated_at = $3
    where network = $1 and address = $2 returning epoch`,
};

export async function takeOver(pool: pg.Pool, lane: Lane, nowMs: number): Promise<bigint> {
  const { rows } = await pool.query<{ epoch: string }>({
    ...TAKE_OVER,
    values: [lane.network, lane.relayer, isoTime(nowMs)],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`the database has no relayer ${lane.relayer} on ${lane.network}`);
  return BigInt(row.epoch);
}

/** A shorter obstacle is only a node that is some blocks behind. */
const OBSTACLE_COUNTS_AFTER_MS = 3_000;

// The active lanes of one duty that can send share the queue. A lane at its hourly cap gets a share only if all are.
const HEARTBEAT = {
  name: 'lane-heartbeat',
  text: `
    with able as (
      select address, capped from svc.relayers
      where network = $1 and status = 'active' and condition in ('fine', 'low')
        and duty = (select duty from svc.relayers where network = $1 and address = $2)
        and (obstacle is null or obstacle_since > $5)
    ),
    sharing as (
      select address, row_number() over (order by address) - 1 as place from able
      where not capped or not exists (select from able where not capped)
    )
    update svc.relayers lane set heartbeat_at = $4
    where network = $1 and address = $2 and epoch = $3
    returning next_nonce, status, obstacle, (select count(*)::integer from sharing) as lanes,
      (select place::integer from sharing where sharing.address = lane.address) as place`,
};

type BeatRow = {
  readonly next_nonce: string;
  readonly status: string;
  readonly obstacle: LaneObstacle | null;
  readonly lanes: number;
  /** Index of the lane's share; null when it has none and other lanes take the whole queue. */
  readonly place: number | null;
};

export async function heartbeat(pool: pg.Pool, lease: LaneLease, nowMs: number): Promise<LaneState | undefined> {
  const { rows } = await pool.query<BeatRow>({
    ...HEARTBEAT,
    values: [
      lease.network,
      lease.relayer,
      lease.epoch.toString(),
      isoTime(nowMs),
      isoTime(nowMs - OBSTACLE_COUNTS_AFTER_MS),
    ],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    nextNonce: BigInt(row.next_nonce),
    open: row.status === 'active',
    share: row.place === null ? undefined : { index: row.place, count: row.lanes },
    obstacle: row.obstacle,
  };
}

const SLEEP = {
  name: 'lane-sleep',
  text: 'update svc.relayers set awake = false where network = $1 and address = $2 and epoch = $3',
};
const HAS_WORK = {
  name: 'lane-has-work',
  text: `
    select exists (
        select from svc.batches where network = $1 and relayer = $2 and status in ('signed', 'broadcast')
      )
      or exists (select from svc.settlements where network = $1 and status = 'queued' and bound_relayer = $2)
      or exists (
        select from svc.relayers lane
        where network = $1 and address = $2 and status = 'active' and (
          obstacle is not null
          or case lane.duty
            when 'resolve_stranded' then exists (
              select from svc.stranded_transfers r where r.network = lane.network and r.status = 'queued' and r.action <> 'hold'
            )
            else exists (
              select from svc.settlements s
              where s.network = lane.network and s.status = 'queued' and s.bound_relayer is null
            )
          end
        )
      ) as work`,
};
const WAKE = {
  name: 'lane-wake',
  text: 'update svc.relayers set awake = true where network = $1 and address = $2 and epoch = $3',
};

/**
 * False when the lane has work and stays awake. The flag is cleared first and work
 * is looked for second: a payment queued before the first statement is seen by the
 * second, and a payment queued after it finds the lane asleep and wakes it.
 */
export async function fallAsleep(pool: pg.Pool, lease: LaneLease): Promise<boolean> {
  const { network, relayer, epoch } = lease;
  const values = [network, relayer, epoch.toString()];
  await pool.query({ ...SLEEP, values });
  const { rows } = await pool.query<{ work: boolean }>({ ...HAS_WORK, values: [network, relayer] });
  if (rows[0]?.work !== true) return true;
  await pool.query({ ...WAKE, values });
  return false;
}

/** For use in `withFence`: aborts the transaction if the lease is lost, and prevents a take-over until the commit. */
export async function requireLease(client: pg.ClientBase, lease: LaneLease): Promise<void> {
  const { rowCount } = await client.query({
    name: 'lane-require-held',
    text: 'select from svc.relayers where network = $1 and address = $2 and epoch = $3 for no key update',
    values: [lease.network, lease.relayer, lease.epoch.toString()],
  });
  if (rowCount !== 1) throw new TakenOver();
}

class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

/** Runs `work` in one transaction. False, with nothing written, if `requireLease` found the lane taken over. */
export async function withFence(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<unknown>): Promise<boolean> {
  try {
    await inTransaction(pool, work);
    return true;
  } catch (problem) {
    if (problem instanceof TakenOver) return false;
    throw problem;
  }
}
