// DeliveryStore over Postgres.
import type { DeliveryStore } from '@svc-pay/core';
import type pg from 'pg';
import { findDueEndpoints, findFreshEndpoints, walkDueEndpoints } from './find-due-endpoints.ts';
import { leaseDeliveries } from './lease-deliveries.ts';
import { loadSigningKeys } from './load-signing-keys.ts';
import { recordDeliveries } from './record-deliveries.ts';
import { findSleepingShards, heartbeatShard, takeOverShard } from './shards.ts';
import { fallAsleep } from './sleep-shard.ts';
import { stopDeliveries } from './stop-deliveries.ts';

export function createDeliveryStore(pool: pg.Pool): DeliveryStore {
  return {
    takeOverShard: (...given) => takeOverShard(pool, ...given),
    heartbeatShard: (...given) => heartbeatShard(pool, ...given),
    fallAsleep: (...given) => fallAsleep(pool, ...given),
    findSleepingShards: (...given) => findSleepingShards(pool, ...given),
    findDueEndpoints: (...given) => findDueEndpoints(pool, ...given),
    findFreshEndpoints: (...given) => findFreshEndpoints(pool, ...given),
    walkDueEndpoints: (...given) => walkDueEndpoints(pool, ...given),
    leaseDeliveries: (...given) => leaseDeliveries(pool, ...given),
    recordDeliveries: (...given) => recordDeliveries(pool, ...given),
    stopDeliveries: (...given) => stopDeliveries(pool, ...given),
    loadSigningKeys: (...given) => loadSigningKeys(pool, ...given),
  };
}
