// HealthStore over Postgres.
import type { HealthStore } from '@svc-pay/core';
import type pg from 'pg';
import { recordHourlyCaps } from '../token/hourly-caps.ts';
import { listRelayerAddresses, loadLaneFacts, recordFitness, recordHealth } from './network-health.ts';

export function createHealthStore(pool: pg.Pool): HealthStore {
  return {
    listRelayerAddresses: (network) => listRelayerAddresses(pool, network),
    recordFitness: (...given) => recordFitness(pool, ...given),
    recordHourlyCaps: (...given) => recordHourlyCaps(pool, ...given),
    loadLaneFacts: (...given) => loadLaneFacts(pool, ...given),
    recordHealth: (...given) => recordHealth(pool, ...given),
  };
}
