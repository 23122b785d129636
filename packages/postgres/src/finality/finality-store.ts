// FinalityStore over Postgres.
import type { FinalityStore } from '@svc-pay/core';
import type pg from 'pg';
import { loadAgeingBatches, recordFinal, recordSettledFinal } from './finalize-batches.ts';
import { loadBatchBlocks, loadRecordedBatch } from './mined-batches.ts';
import { moveBatch } from './move-batch.ts';
import { reverseBatch } from './reverse-reorged-batch.ts';

export function createFinalityStore(pool: pg.Pool): FinalityStore {
  return {
    loadAgeingBatches: (...given) => loadAgeingBatches(pool, ...given),
    loadBatchBlocks: (...given) => loadBatchBlocks(pool, ...given),
    loadRecordedBatch: (batchId) => loadRecordedBatch(pool, batchId),
    moveBatch: (...given) => moveBatch(pool, ...given),
    reverseBatch: (...given) => reverseBatch(pool, ...given),
    recordSettledFinal: (...given) => recordSettledFinal(pool, ...given),
    recordFinal: (...given) => recordFinal(pool, ...given),
  };
}
