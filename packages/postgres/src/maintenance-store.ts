// Statements of the maintenance jobs.
import type { Mode } from '@svc-pay/core';
import type pg from 'pg';
import { sealAuditChains } from './audit/seal-audit-chains.ts';
import { deleteOldAnswers } from './idempotency/stored-answers.ts';
import { expireIntent, expireIntents, loadOverdueIntents, type OverdueIntent } from './intent/expire-intents.ts';
import { loadUnpaidIntents, removeUnpaidIntents, type UnpaidIntent } from './intent/remove-unpaid-intents.ts';
import { dropOldPrepared } from './payment/prepared-transfers.ts';
import { deleteClosedRefused } from './payment/refused-authorizations.ts';
import { type RetentionOptions, runRetention } from './retention/run-retention.ts';
import { deleteEndedLeases } from './x402/delete-ended-leases.ts';

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
  /** Makes partitions of the coming months, retires months that are no longer kept. False: another process does. */
  readonly runRetention: (options: RetentionOptions) => Promise<boolean>;
  /** Deletes the oldest idempotency keys made before `beforeMs`, at most `most` of them. Returns how many. */
  readonly deleteOldAnswers: (beforeMs: number, most: number) => Promise<number>;
  /** Deletes refused authorizations that were closed before `beforeMs`, at most `most` of them. Returns how many. */
  readonly deleteClosedRefused: (beforeMs: number, most: number) => Promise<number>;
  /**
   * Deletes leases of x402 sellers that ended before the first time, those with a settle only if it was called before the
   * second one. Returns how many.
   */
  readonly deleteEndedLeases: (endedBeforeMs: number, settledBeforeMs: number, most: number) => Promise<number>;
  /** Canceled intents that were created before `beforeMs` and that nobody tried to pay, oldest first, after that one. */
  readonly loadUnpaidIntents: (
    beforeMs: number,
    after: UnpaidIntent | undefined,
    limit: number,
  ) => Promise<readonly UnpaidIntent[]>;
  /** Removes those that ended before `beforeMs` and keeps what a late payment is judged by. Returns how many left. */
  readonly removeUnpaidIntents: (unpaid: readonly UnpaidIntent[], beforeMs: number) => Promise<number>;
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
    runRetention: (options) => runRetention(pool, options),
    deleteOldAnswers: (...given) => deleteOldAnswers(pool, ...given),
    deleteClosedRefused: (...given) => deleteClosedRefused(pool, ...given),
    deleteEndedLeases: (...given) => deleteEndedLeases(pool, ...given),
    loadUnpaidIntents: (...given) => loadUnpaidIntents(pool, ...given),
    removeUnpaidIntents: (...given) => removeUnpaidIntents(pool, ...given),
    dropOldPrepared: (beforeMs) => dropOldPrepared(pool, beforeMs),
  };
}
