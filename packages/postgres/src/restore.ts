// Statements of `svc recover`, which restores a database from its chains.
export { createLaneStore } from './lane/lane-store.ts';
export { listProcessors } from './ledger/read-batches.ts';
export { findUnknownPayouts, type NamedPayout } from './payout/find-unknown-payouts.ts';
export {
  addLostLane,
  type LaneToRestore,
  lastKnownBlock,
  liftLane,
  listLanes,
  missingNonces,
} from './restore/lanes-to-restore.ts';
export { lockRestore } from './restore/restore-lock.ts';
export { type RestoredTransaction, restoreTransaction } from './restore/restore-transaction.ts';
export { skipUsedIntentCodes } from './restore/skip-used-intent-codes.ts';
