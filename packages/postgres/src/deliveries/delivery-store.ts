// The database's side of delivering.
import type { DeliveryStore } from '@svc-pay/core';
import type pg from 'pg';
import { claimDeliveries } from './claim-deliveries.ts';
import { fallAsleep } from './fall-asleep.ts';
import { findDueEndpoints, findFreshEndpoints, walkDueEndpoints } from './find-due-endpoints.ts';
import { loadSigningKeys } from './load-signing-keys.ts';
import { recordDeliveries } from './record-deliveries.ts';
import { beatShard, findSleepingShards, takeOverShard } from './shards.ts';
import { stopDeliveries } from './stop-deliveries.ts';

export function createDeliveryStore(pool: pg.Pool): DeliveryStore {
  return {
    takeOverShard: (...given) => takeOverShard(pool, ...given),
    beatShard: (...given) => beatShard(pool, ...given),
    fallAsleep: (...given) => fallAsleep(pool, ...given),
    findSleepingShards: (...given) => findSleepingShards(pool, ...given),
    findDueEndpoints: (...given) => findDueEndpoints(pool, ...given),
    findFreshEndpoints: (...given) => findFreshEndpoints(pool, ...given),
    walkDueEndpoints: (...given) => walkDueEndpoints(pool, ...given),
    claimDeliveries: (...given) => claimDeliveries(pool, ...given),
    recordDeliveries: (...given) => recordDeliveries(pool, ...given),
    stopDeliveries: (...given) => stopDeliveries(pool, ...given),
    loadSigningKeys: (...given) => loadSigningKeys(pool, ...given),
  };
}
