// All stores of the settlement service, as ports of core.
import type {
  ActivationNotice,
  ApplyStore,
  BudgetStore,
  CheckUsedPayout,
  Clock,
  DirectStore,
  FinalityStore,
  HealthStore,
  IcrcStore,
  Lane,
  LaneComparisonStore,
  LaneStore,
  NodeReadingStore,
  OpenWorkStore,
  PayoutRegistryStore,
  ReaderStore,
  ReferenceStore,
  RefundWatchStore,
  RegisterRelayer,
  RetentionReport,
  StrandedStore,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { createBudgetStore } from './budget/budget-store.ts';
import { type BudgetMeasures, measureBudgets } from './budget/measure-budgets.ts';
import type { Database } from './database/open-database.ts';
import { type AcceptedPayment, acceptPayment, type PaymentToAccept } from './direct/accept-payment.ts';
import { createDirectStore } from './direct/direct-store.ts';
import { createFinalityStore } from './finality/finality-store.ts';
import { createIcrcStore } from './icrc/icrc-store.ts';
import { markAsleep, markAwake } from './lane/awake-lanes.ts';
import { createHealthStore } from './lane/health-store.ts';
import { createLaneStore, type LaneStoreOptions } from './lane/lane-store.ts';
import { type LaneMeasures, measureLanes } from './lane/measure-lanes.ts';
import { type NetworkHealth, reportHealth } from './lane/network-health.ts';
import { findForgottenLanes, type LaneReport, registerRelayer, reportLanes } from './lane/relayers.ts';
import { createMaintenanceStore, type MaintenanceStore } from './maintenance-store.ts';
import { createNodeReadingStore } from './operator/record-nodes.ts';
import { announceActivations } from './payout/announce-activations.ts';
import { createPayoutRegistryStore } from './payout/payout-registry-store.ts';
import { createApplyStore } from './reader/apply-store.ts';
import { createLaneComparisonStore } from './reader/lane-comparison.ts';
import { measureReader, type ReaderMeasures } from './reader/measure-reader.ts';
import { createReaderStore } from './reader/reader-store.ts';
import { createReferenceStore } from './reference/reference-store.ts';
import { createRefundWatchStore } from './refund/refund-watch-store.ts';
import { reportRetention } from './retention/report-retention.ts';
import { type BeganUpto, type BeginUptoDeps, beginUpto, type UptoSettlement } from './settlement/begin-upto.ts';
import { createStrandedLaneStore } from './stranded/stranded-lane-store.ts';
import { createStrandedStore } from './stranded/stranded-store.ts';
import { loadOpenWork } from './watch/load-open-work.ts';

export type SettlementStores = OpenWorkStore & {
  readonly lanes: LaneStore;
  /** Store of the lanes that settle or return stranded transfers. */
  readonly strandedTransfers: LaneStore;
  readonly finality: FinalityStore;
  readonly stranded: StrandedStore;
  readonly direct: DirectStore;
  readonly refunds: RefundWatchStore;
  readonly payouts: PayoutRegistryStore;
  /** Calls `tell` for every direct payout whose activation was not told of yet. */
  readonly announceActivations: (tell: (notice: ActivationNotice) => void, nowMs: number) => Promise<void>;
  readonly reader: ReaderStore;
  readonly apply: ApplyStore;
  readonly references: ReferenceStore;
  readonly icrc: IcrcStore;
  readonly comparison: LaneComparisonStore;
  readonly health: HealthStore;
  readonly nodeReadings: NodeReadingStore;
  readonly budgets: BudgetStore;
  readonly maintenance: MaintenanceStore;
  readonly registerRelayer: RegisterRelayer;
  /** Lanes that have work, and are asleep or without a heartbeat since `silentSinceMs`. The call marks them awake. */
  readonly findForgottenLanes: (silentSinceMs: number) => Promise<readonly Lane[]>;
  /** Returns only the lanes that this call marked awake. */
  readonly markAwake: (network: NetworkId) => Promise<readonly Lane[]>;
  readonly markAsleep: (lane: Lane) => Promise<void>;
  readonly beginUpto: (settlement: UptoSettlement) => Promise<BeganUpto>;
  readonly acceptPayment: (asked: PaymentToAccept) => Promise<AcceptedPayment>;
};

export type SettlementStoreOptions = LaneStoreOptions & {
  readonly clock: Clock;
  readonly processorVersion: BeginUptoDeps['processorVersion'];
  /** Stands before the chain reader counts a transfer to a wallet. */
  readonly checkPayout: CheckUsedPayout;
};

/** Actor in audit records of changes that the service makes by itself. */
const ACTOR = 'service:settlement';

export function createSettlementStores({ pool }: Database, options: SettlementStoreOptions): SettlementStores {
  const { clock, processorVersion, checkPayout } = options;
  return {
    loadOpenWork: (...given) => loadOpenWork(pool, ...given),
    lanes: createLaneStore(pool, options),
    strandedTransfers: createStrandedLaneStore(pool, options),
    finality: createFinalityStore(pool),
    stranded: createStrandedStore(pool),
    direct: createDirectStore(pool),
    refunds: createRefundWatchStore(pool),
    payouts: createPayoutRegistryStore(pool, ACTOR),
    announceActivations: (tell, nowMs) => announceActivations(pool, tell, nowMs),
    reader: createReaderStore(pool),
    apply: createApplyStore(pool, checkPayout),
    references: createReferenceStore(pool),
    icrc: createIcrcStore(pool),
    comparison: createLaneComparisonStore(pool),
    health: createHealthStore(pool),
    nodeReadings: createNodeReadingStore(pool),
    budgets: createBudgetStore(pool),
    maintenance: createMaintenanceStore(pool),
    registerRelayer: (relayer, readNonce) => registerRelayer(pool, relayer, readNonce, clock.nowMs()),
    findForgottenLanes: (silentSinceMs) => findForgottenLanes(pool, silentSinceMs),
    markAwake: (network) => markAwake(pool, network),
    markAsleep: (lane) => markAsleep(pool, lane),
    acceptPayment: (asked) => acceptPayment({ pool, clock }, asked),
    beginUpto: (settlement) => beginUpto({ pool, clock, processorVersion }, settlement),
  };
}

export type SettlementReports = {
  readonly measureLanes: (nowMs: number) => Promise<LaneMeasures>;
  readonly measureBudgets: () => Promise<BudgetMeasures>;
  readonly measureReader: (nowMs: number) => Promise<ReaderMeasures>;
  readonly reportRetention: () => Promise<RetentionReport>;
  readonly reportLanes: () => Promise<readonly LaneReport[]>;
  readonly reportHealth: () => Promise<readonly NetworkHealth[]>;
};

/** Reports of lanes and networks, for metrics and the internal listener. */
export function createSettlementReports({ pool }: Database): SettlementReports {
  return {
    measureLanes: (nowMs) => measureLanes(pool, nowMs),
    measureBudgets: () => measureBudgets(pool),
    measureReader: (nowMs) => measureReader(pool, nowMs),
    reportRetention: () => reportRetention(pool),
    reportLanes: () => reportLanes(pool),
    reportHealth: () => reportHealth(pool),
  };
}
