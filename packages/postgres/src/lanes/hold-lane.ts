// Who may write for a lane. Taking it over draws a new epoch; every write of a holder matches its epoch, so that one who
// was replaced writes nothing, however long it goes on.
import { type HeldLane, isoTime, type Lane, type LaneState } from '@svc-pay/core';
import type pg from 'pg';

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

// A lane's share of the queue is its place among the active ones of its duty; one that drains takes nothing new.
const BEAT = {
  name: 'lane-beat',
  text: `
    update svc.relayers lane set beat_at = $4
    where network = $1 and address = $2 and epoch = $3
    returning next_nonce, status,
      (select count(*)::integer from svc.relayers o
        where o.network = $1 and o.status = 'active' and o.duty = lane.duty) as lanes,
      (select count(*)::integer from svc.relayers o
        where o.network = $1 and o.status = 'active' and o.duty = lane.duty and o.address < $2) as place`,
};

type BeatRow = {
  readonly next_nonce: string;
  readonly status: string;
  readonly lanes: number;
  readonly place: number;
};

export async function beat(pool: pg.Pool, held: HeldLane, nowMs: number): Promise<LaneState | undefined> {
  const { rows } = await pool.query<BeatRow>({
    ...BEAT,
    values: [held.network, held.relayer, held.epoch.toString(), isoTime(nowMs)],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    nextNonce: BigInt(row.next_nonce),
    open: row.status === 'active',
    share: { index: row.place, count: Math.max(row.lanes, 1) },
  };
}

const SLEEP = {
  name: 'lane-sleep',
  text: 'update svc.relayers set awake = false where network = $1 and address = $2 and epoch = $3',
};
const HAS_WORK = {
  name: 'lane-has-work',
  text: `
    select case (select duty from svc.relayers where network = $1 and address = $2)
        when 'recover' then
          exists (select from svc.recoveries where network = $1 and status = 'queued' and deed <> 'hold')
        else exists (select from svc.settlements where network = $1 and status = 'queued')
      end
      or exists (
        select from svc.batches where network = $1 and relayer = $2 and status in ('signed', 'broadcast')
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

/** Within a transaction: throws `TakenOver` unless the lane is still held, and keeps it so until the commit. */
export async function requireHeld(client: pg.ClientBase, held: HeldLane): Promise<void> {
  const { rowCount } = await client.query({
    name: 'lane-require-held',
    text: 'select from svc.relayers where network = $1 and address = $2 and epoch = $3 for no key update',
    values: [held.network, held.relayer, held.epoch.toString()],
  });
  if (rowCount !== 1) throw new TakenOver();
}

/** Rolls back; the caller answers that the lane was taken over. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}
