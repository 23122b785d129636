// The database's side of watching over mined batches.
import type { FinalityStore } from '@svc-pay/core';
import type pg from 'pg';
import { loadAgeingBatches, recordFinal } from './finality.ts';
import { loadBatchPlaces, loadRecordedBatch } from './mined-batches.ts';
import { moveBatch } from './move-batch.ts';
import { takeBackBatch } from './take-back.ts';

export function createFinalityStore(pool: pg.Pool): FinalityStore {
  return {
    loadAgeingBatches: (...given) => loadAgeingBatches(pool, ...given),
    loadBatchPlaces: (...given) => loadBatchPlaces(pool, ...given),
    loadRecordedBatch: (batchId) => loadRecordedBatch(pool, batchId),
    moveBatch: (...given) => moveBatch(pool, ...given),
    takeBackBatch: (...given) => takeBackBatch(pool, ...given),
    recordFinal: (...given) => recordFinal(pool, ...given),
  };
}
