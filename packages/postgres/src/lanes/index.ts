// What the settlement service asks of Postgres.

export { markAsleep, markAwake } from '../stores/awake-lanes.ts';
export { dropOldPrepared } from '../stores/prepared-transfers.ts';
export { type BeganUpto, beginUpto, type UptoSettlement } from './begin-upto.ts';
export { type ClaimedPayment, loadClaimedPayments, loadHeldPayments } from './claimed-payments.ts';
export { type DecidedMoney, decideHeldMoney } from './decide-held-money.ts';
export { expireIntents } from './expire-intents.ts';
export { createFinalityStore } from './finality-store.ts';
export { loadHeldTransactions } from './held-transactions.ts';
export { createLaneStore, type LaneStoreOptions } from './lane-store.ts';
export { loadPayoutsToMirror } from './load-payouts-to-mirror.ts';
export { type LaneMeasures, measureLanes } from './measure-lanes.ts';
export {
  listRelayerAddresses,
  loadLaneFacts,
  type NetworkHealth,
  recordFitness,
  recordHealth,
  reportHealth,
} from './network-health.ts';
export { completeHeld, failHeld, queueHeld, recordStranding, type StrandedAuthorization } from './record-fate.ts';
export { createRecoveryStore } from './recovery-store.ts';
export { findForgottenLanes, type LaneReport, type NewRelayer, registerRelayer, reportLanes } from './relayers.ts';
export {
  type AuthorizationCursor,
  closeAuthorizations,
  FIRST_AUTHORIZATION,
  loadOpenAuthorizations,
  type OpenAuthorization,
} from './watched-authorizations.ts';
