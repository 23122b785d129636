// RestoreStore over Postgres.
import type { Clock, RestoreStore } from '@svc-pay/core';
import type pg from 'pg';
import { listProcessors } from '../ledger/read-batches.ts';
import { findUnknownPayouts } from '../payout/find-unknown-payouts.ts';
import {
  addLostLane,
  findMissingNonces,
  liftLane,
  loadLanes,
  loadRecordedBlocks,
  loadWallets,
} from './lanes-to-restore.ts';
import { closeRestore, loadOpenRestore, openRestore } from './open-restores.ts';
import { hasTransaction } from './restore-batch.ts';
import { findStrandedClaim, restoreStranded } from './restore-stranded.ts';
import { restoreTransaction } from './restore-transaction.ts';
import { restoreTransfer } from './restore-transfer.ts';
import { skipUsedIntentCodes } from './skip-used-intent-codes.ts';
import { loadTransferPayouts } from './transfer-payouts.ts';

/** `actor` is the actor of the audit records. */
export function createRestoreStore(pool: pg.Pool, { clock, actor }: { clock: Clock; actor: string }): RestoreStore {
  return {
    loadLanes: (network) => loadLanes(pool, network),
    loadProcessors: (network) => listProcessors(pool, network),
    loadWallets: (network) => loadWallets(pool, network),
    loadRecordedBlocks: (network) => loadRecordedBlocks(pool, network),
    loadOpenRestore: (network) => loadOpenRestore(pool, network),
    openRestore: (...given) => openRestore(pool, ...given, clock.nowMs()),
    closeRestore: (...given) => closeRestore(pool, ...given),
    findUnknownPayouts: (...given) => findUnknownPayouts(pool, ...given),
    skipUsedIntentCodes: (usedCodes) => skipUsedIntentCodes({ pool, nowMs: clock.nowMs(), actor }, usedCodes),
    addLostLane: (...given) => addLostLane(pool, ...given, clock.nowMs()),
    restoreTransaction: (...given) => restoreTransaction(pool, ...given, clock.nowMs()),
    findStrandedClaim: (claimKey) => findStrandedClaim(pool, claimKey),
    restoreStranded: (...given) => restoreStranded(pool, ...given, clock.nowMs()),
    hasTransaction: (...given) => hasTransaction(pool, ...given),
    loadTransferPayouts: (network) => loadTransferPayouts(pool, network),
    restoreTransfer: (...given) => restoreTransfer(pool, ...given, clock.nowMs()),
    findMissingNonces: (...given) => findMissingNonces(pool, ...given),
    liftLane: (...given) => liftLane(pool, ...given, clock.nowMs()),
  };
}
