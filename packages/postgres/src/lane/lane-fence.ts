// The fence of a lane. A take-over increments the epoch, and every write names the epoch of its lease: a process that
// was replaced writes nothing, however long it keeps running.
import {
  isoTime,
  type Lane,
  type LaneLease,
  type LaneObstacle,
  type LaneState,
  laneHasWork,
  queueShareOf,
  RELAYER_STATUS,
  type RelayerStatus,
  type SharingRelayer,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIsNot } from '../database/status-sql.ts';
import { loadLaneWork } from './load-lane-work.ts';

// Who records mined batches has this lock with others, and who takes over has it alone: recording is long, and the row of the
// lane stays free for the same process to send further batches.
const RECORDING = `hashtextextended('lane ' || $1 || '/' || $2, 0)`;

const WAIT_FOR_RECORDING = { name: 'lane-wait-for-recording', text: `select pg_advisory_xact_lock(${RECORDING})` };
const BEGIN_RECORDING = { name: 'lane-begin-recording', text: `select pg_advisory_xact_lock_shared(${RECORDING})` };

const TAKE_OVER = {
  name: 'lane-take-over',
  text: `
    update svc.relayers set epoch = epoch + 1, awake = true, heartbeat_at = $3, updated_at = $3
    where network = $1 and address = $2 returning epoch`,
};

export async function takeOver(pool: pg.Pool, lane: Lane, nowMs: number): Promise<bigint> {
  const key = [lane.network, lane.relayer];
  const { rows } = await inTransaction(pool, async (client) => {
    await client.query({ ...WAIT_FOR_RECORDING, values: key });
    return client.query<{ epoch: string }>({ ...TAKE_OVER, values: [...key, isoTime(nowMs)] });
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`the database has no relayer ${lane.relayer} on ${lane.network}`);
  return BigInt(row.epoch);
}

// One statement writes the heartbeat and reads the relayers among which the queue is shared; none when all are retired.
const HEARTBEAT = {
  name: 'lane-heartbeat',
  text: `
    update svc.relayers set heartbeat_at = $4
    where network = $1 and address = $2 and epoch = $3
    returning next_nonce, status, obstacle, (
        select coalesce(json_agg(json_build_object(
          'address', address, 'duty', duty, 'status', status, 'condition', condition, 'capped', capped,
          'obstacleMs', extract(epoch from $4::timestamptz - obstacle_since) * 1000
        )), '[]'::json)
        from svc.relayers where network = $1 and status ${sqlIsNot(RELAYER_STATUS.retired)}
      ) as relayers`,
};

type HeartbeatRow = {
  readonly next_nonce: string;
  readonly status: RelayerStatus;
  readonly obstacle: LaneObstacle | null;
  readonly relayers: readonly SharingRelayer[];
};

export async function heartbeat(pool: pg.Pool, lease: LaneLease, nowMs: number): Promise<LaneState | undefined> {
  const { rows } = await pool.query<HeartbeatRow>({
    ...HEARTBEAT,
    values: [lease.network, lease.relayer, lease.epoch.toString(), isoTime(nowMs)],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    nextNonce: BigInt(row.next_nonce),
    open: row.status === RELAYER_STATUS.active,
    share: queueShareOf(lease.relayer, row.relayers),
    obstacle: row.obstacle,
  };
}

const SLEEP = {
  name: 'lane-sleep',
  text: 'update svc.relayers set awake = false where network = $1 and address = $2 and epoch = $3',
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
  const values = [lease.network, lease.relayer, lease.epoch.toString()];
  await pool.query({ ...SLEEP, values });
  const [found] = await loadLaneWork(pool, [lease]);
  if (found === undefined || !laneHasWork(found.work)) return true;
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

/**
 * As `requireLease`, but other writes of the lease go on beside this transaction. The epoch is read by a statement of its own,
 * after the lock: it sees every take-over that ended before.
 */
export async function requireLeaseBeside(client: pg.ClientBase, lease: LaneLease): Promise<void> {
  const key = [lease.network, lease.relayer];
  await client.query({ ...BEGIN_RECORDING, values: key });
  const { rowCount } = await client.query({
    name: 'lane-require-held-beside',
    text: 'select from svc.relayers where network = $1 and address = $2 and epoch = $3',
    values: [...key, lease.epoch.toString()],
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
