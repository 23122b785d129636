// Statements of the maintenance jobs.
import type { Mode } from '@svc-pay/core';
import type pg from 'pg';
import { sealAuditChains } from './audit/seal-audit-chains.ts';
import { PARTITIONS_READY } from './database/partitions-ready.ts';
import { deleteOldAnswers } from './idempotency/stored-answers.ts';
import { expireIntent, expireIntents, loadOverdueIntents, type OverdueIntent } from './intent/expire-intents.ts';
import { dropOldPrepared } from './payment/prepared-transfers.ts';
import { deleteClosedRefused } from './payment/refused-authorizations.ts';

export type MaintenanceStore = {
  /** Returns how many intents expired; as many as `limit` means that there may be more. */
  readonly expireIntents: (nowMs: number, limit: number) => Promise<number>;
  readonly loadOverdueIntents: (
    nowMs: number,
    after: OverdueIntent | undefined,
    limit: number,
  ) => Promise<readonly OverdueIntent[]>;
  readonly expireIntent: (overdue: OverdueIntent, nowMs: number) => Promise<void>;
  /** A chain that cannot be sealed is reported to `onFailure`; the others are still sealed. */
  readonly sealAuditChains: (
    onFailure: (chain: { readonly accountId: string; readonly mode: Mode }, problem: unknown) => void,
  ) => Promise<void>;
  /** Creates the missing partitions of `PARTITIONS_READY`. */
  readonly ensurePartitions: () => Promise<void>;
  /** Deletes the oldest idempotency keys made before `beforeMs`, at most `most` of them. Returns how many. */
  readonly deleteOldAnswers: (beforeMs: number, most: number) => Promise<number>;
  /** Deletes refused authorizations that were closed before `beforeMs`, at most `most` of them. Returns how many. */
  readonly deleteClosedRefused: (beforeMs: number, most: number) => Promise<number>;
  /** Deletes transactions that were prepared for wallets before `beforeMs`. */
  readonly dropOldPrepared: (beforeMs: number) => Promise<void>;
};

export function createMaintenanceStore(pool: pg.Pool): MaintenanceStore {
  return {
    expireIntents: (...given) => expireIntents(pool, ...given),
    loadOverdueIntents: (...given) => loadOverdueIntents(pool, ...given),
    expireIntent: (...given) => expireIntent(pool, ...given),
    sealAuditChains: async (onFailure) => {
      await sealAuditChains(pool, undefined, onFailure);
    },
    ensurePartitions: async () => {
      const { monthsBack, monthsAhead } = PARTITIONS_READY;
      await pool.query('select svc.ensure_partitions($1, $2)', [monthsBack, monthsAhead]);
    },
    deleteOldAnswers: (...given) => deleteOldAnswers(pool, ...given),
    deleteClosedRefused: (...given) => deleteClosedRefused(pool, ...given),
    dropOldPrepared: (beforeMs) => dropOldPrepared(pool, beforeMs),
  };
}
