// Stores of the settlement service.

export type { BudgetMeasures } from './budget/measure-budgets.ts';
export type { AcceptedPayment, PaymentToAccept } from './direct/accept-payment.ts';
export { createFinalityStore } from './finality/finality-store.ts';
export { createIcrcStore } from './icrc/icrc-store.ts';
export type { OverdueIntent } from './intent/expire-intents.ts';
export type { UnpaidIntent } from './intent/remove-unpaid-intents.ts';
export { createHealthStore } from './lane/health-store.ts';
export { createLaneStore, type LaneStoreOptions } from './lane/lane-store.ts';
export { type LaneMeasures, measureLanes } from './lane/measure-lanes.ts';
export { type NetworkHealth, reportHealth } from './lane/network-health.ts';
export { findForgottenLanes, type LaneReport, registerRelayer, reportLanes } from './lane/relayers.ts';
export type { GasSpent } from './ledger/book-gas.ts';
export { createMaintenanceStore, type MaintenanceStore } from './maintenance-store.ts';
export { dropOldPrepared } from './payment/prepared-transfers.ts';
export { createPayoutRegistryStore } from './payout/payout-registry-store.ts';
export type { ReaderMeasures } from './reader/measure-reader.ts';
export { createReaderStore } from './reader/reader-store.ts';
export { createReferenceStore } from './reference/reference-store.ts';
export { createRefundWatchStore } from './refund/refund-watch-store.ts';
export type { Retired } from './retention/retire-partition.ts';
export type { RetentionOptions } from './retention/run-retention.ts';
export { type BeganUpto, beginUpto, type UptoSettlement } from './settlement/begin-upto.ts';
export { createSettlementReports, createSettlementStores, type SettlementStores } from './settlement-stores.ts';
export { createStrandedLaneStore } from './stranded/stranded-lane-store.ts';
export { createStrandedStore } from './stranded/stranded-store.ts';
