// What the database needs done now and then: audit chains sealed, partitions of the coming months made.
import type { Pulse } from '@svc-pay/engine';
import { sealAuditChains } from '@svc-pay/postgres/operator';
import type pg from 'pg';

const SEAL_EVERY_MS = 5_000;
const PARTITIONS_EVERY_MS = 3_600_000;
const MONTHS_BACK = 1;
const MONTHS_AHEAD = 3;

export function createAuditSealer(pool: pg.Pool): Pulse {
  return {
    name: 'audit-sealer',
    everyMs: SEAL_EVERY_MS,
    beat: async () => {
      await sealAuditChains(pool);
    },
  };
}

export function createPartitionMaker(pool: pg.Pool): Pulse {
  return {
    name: 'partition-maker',
    everyMs: PARTITIONS_EVERY_MS,
    beat: async () => {
      await pool.query('select svc.ensure_partitions($1, $2)', [MONTHS_BACK, MONTHS_AHEAD]);
    },
  };
}
