// What the settlement service asks of Postgres.

export { markAsleep, markAwake } from '../stores/awake-lanes.ts';
export { type BeganUpto, beginUpto, type UptoSettlement } from './begin-upto.ts';
export { expireIntents } from './expire-intents.ts';
export { type AgeingBatch, loadAgeingBatches, outcomesOf, recordFinal } from './finality.ts';
export { createLaneStore, type LaneStoreOptions } from './lane-store.ts';
export { loadPayoutsToMirror } from './load-payouts-to-mirror.ts';
export {
  listRelayerAddresses,
  loadLaneFacts,
  type NetworkHealth,
  recordFitness,
  recordHealth,
  reportHealth,
} from './network-health.ts';
export { findForgottenLanes, type LaneReport, type NewRelayer, registerRelayer, reportLanes } from './relayers.ts';
export {
  closeAuthorizations,
  loadOverdueAuthorizations,
  type OverdueAuthorization,
} from './watched-authorizations.ts';
