import type { HeldShard } from '@svc-pay/core';
import type pg from 'pg';
import { findDueEndpoints, walkDueEndpoints } from './find-due-endpoints.ts';

const SET_AWAKE = {
  name: 'shard-set-awake',
  text: 'update svc.delivery_shards set awake = $4 where drain = $1 and shard = $2 and epoch = $3',
};

/**
 * Asleep first, then one more look: what was due before the first statement is seen by the second, what comes after it is
 * found by the lookout, which sees the shard asleep. False when there was something after all.
 */
export async function fallAsleep(
  pool: pg.Pool,
  held: HeldShard,
  modes: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const values = [held.drain, held.index, held.epoch];
  await pool.query({ ...SET_AWAKE, values: [...values, false] });
  if (await nothingDue(pool, held, modes, nowMs)) return true;
  await pool.query({ ...SET_AWAKE, values: [...values, true] });
  return false;
}

async function nothingDue(pool: pg.Pool, held: HeldShard, modes: readonly string[], nowMs: number): Promise<boolean> {
  const { endpoints, all } = await findDueEndpoints(pool, held, modes, nowMs);
  if (all || endpoints.length > 0) return endpoints.length === 0;
  // Others fill the head of the queue: what this shard has may stand behind it.
  return (await walkDueEndpoints(pool, held, modes, nowMs, '')).endpoints.length === 0;
}
