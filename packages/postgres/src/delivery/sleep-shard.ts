import type { ShardLease } from '@svc-pay/core';
import type pg from 'pg';
import { findDueEndpoints, walkDueEndpoints } from './find-due-endpoints.ts';

const SET_AWAKE = {
  name: 'shard-set-awake',
  text: 'update svc.delivery_shards set awake = $4 where drain = $1 and shard = $2 and epoch = $3',
};

/**
 * False when a delivery is due and the shard stays awake. The flag is cleared first and
 * due deliveries are looked for second: a delivery due before the first statement is
 * seen by the second, and for a later one `findSleepingShards` finds the shard asleep.
 */
export async function fallAsleep(
  pool: pg.Pool,
  lease: ShardLease,
  modes: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const values = [lease.drain, lease.index, lease.epoch];
  await pool.query({ ...SET_AWAKE, values: [...values, false] });
  if (await nothingDue(pool, lease, modes, nowMs)) return true;
  await pool.query({ ...SET_AWAKE, values: [...values, true] });
  return false;
}

async function nothingDue(pool: pg.Pool, lease: ShardLease, modes: readonly string[], nowMs: number): Promise<boolean> {
  const { endpoints, all } = await findDueEndpoints(pool, lease, modes, nowMs);
  if (all || endpoints.length > 0) return endpoints.length === 0;
  // Other shards fill the head of the queue; due deliveries of this shard may be behind it.
  return (await walkDueEndpoints(pool, lease, modes, nowMs, '')).endpoints.length === 0;
}
