// Who may write for a lane. Taking it over draws a new epoch; every write of a holder matches its epoch, so that one who
// was replaced writes nothing, however long it goes on.
import { type HeldLane, isoTime, type Lane, type LaneObstacle, type LaneState } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';

const TAKE_OVER = {
  name: 'lane-take-over',
  text: `
    update svc.relayers set epoch = epoch + 1, awake = true, beat_at = $3, updated_at = $3
    where network = $1 and address = $2 returning epoch`,
};

export async function takeOver(pool: pg.Pool, lane: Lane, nowMs: number): Promise<bigint> {
  const { rows } = await pool.query<{ epoch: string }>({
    ...TAKE_OVER,
    values: [lane.network, lane.relayer, isoTime(nowMs)],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`no relayer ${lane.relayer} on ${lane.network}`);
  return BigInt(row.epoch);
}

/** An obstacle that is gone by then was a node some blocks behind. */
const OBSTACLE_COUNTS_AFTER_MS = 3_000;

// A lane's share of the queue is its place among those of its duty that can send; of these, the ones with room under their caps.
const BEAT = {
  name: 'lane-beat',
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
    update svc.relayers lane set beat_at = $4
    where network = $1 and address = $2 and epoch = $3
    returning next_nonce, status, obstacle, (select count(*)::integer from sharing) as lanes,
      (select place::integer from sharing where sharing.address = lane.address) as place`,
};

type BeatRow = {
  readonly next_nonce: string;
  readonly status: string;
  readonly obstacle: LaneObstacle | null;
  readonly lanes: number;
  /** Null when others take its part. */
  readonly place: number | null;
};

export async function beat(pool: pg.Pool, held: HeldLane, nowMs: number): Promise<LaneState | undefined> {
  const { rows } = await pool.query<BeatRow>({
    ...BEAT,
    values: [
      held.network,
      held.relayer,
      held.epoch.toString(),
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
            when 'recover' then exists (
              select from svc.recoveries r where r.network = lane.network and r.status = 'queued' and r.deed <> 'hold'
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
 * Asleep first, then one more look: who queues a payment before the first statement is seen by the second, who queues it
 * after finds the lane asleep and wakes it.
 */
export async function fallAsleep(pool: pg.Pool, held: HeldLane): Promise<boolean> {
  const { network, relayer, epoch } = held;
  const values = [network, relayer, epoch.toString()];
  await pool.query({ ...SLEEP, values });
  const { rows } = await pool.query<{ work: boolean }>({ ...HAS_WORK, values: [network, relayer] });
  if (rows[0]?.work !== true) return true;
  await pool.query({ ...WAKE, values });
  return false;
}

/** Within `unlessTakenOver`: ends it unless the lane is still held, and keeps it so until the commit. */
export async function requireHeld(client: pg.ClientBase, held: HeldLane): Promise<void> {
  const { rowCount } = await client.query({
    name: 'lane-require-held',
    text: 'select from svc.relayers where network = $1 and address = $2 and epoch = $3 for no key update',
    values: [held.network, held.relayer, held.epoch.toString()],
  });
  if (rowCount !== 1) throw new TakenOver();
}

class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

/** All of it in one transaction; false, and nothing written, when `requireHeld` found the lane taken over. */
export async function unlessTakenOver(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<boolean> {
  try {
    await inTransaction(pool, work);
    return true;
  } catch (problem) {
    if (problem instanceof TakenOver) return false;
    throw problem;
  }
}
