// What recovering a restored database from its chains asks of Postgres.
export { createLaneStore } from '../../lanes/lane-store.ts';
export { listProcessors } from '../ledger/read-batches.ts';
export { beginCodeEpoch } from './begin-epoch.ts';
export { findUnknownPayouts, type NamedPayout } from './find-unknown-payouts.ts';
export { holdRecovery } from './hold-recovery.ts';
export {
  addLostLane,
  type LaneToRecover,
  lastKnownBlock,
  liftLane,
  listLanes,
  missingNonces,
} from './lanes-to-recover.ts';
export { type RestoredTransaction, restoreTransaction } from './restore-transaction.ts';
