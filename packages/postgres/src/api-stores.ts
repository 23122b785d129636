// All stores of the API service, as ports of core.
import type {
  AbusePage,
  AwaitedPayment,
  Caller,
  CancelIntentPorts,
  Clock,
  CreateIntentPorts,
  CreateRefundPorts,
  IssuedOffer,
  Lane,
  LeasedAuthorization,
  LeaseOrder,
  LeaseStore,
  LoadPayable,
  OpenReference,
  PaymentClaim,
  RefundStore,
  SettlePorts,
  TransferStores,
  UptoPorts,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { deleteOldAbuseCounts, writeAbuseCounts } from './abuse/write-abuse-counts.ts';
import { type KeyUse, recordKeyUses } from './account/record-key-uses.ts';
import { loadWalletBudget } from './budget/load-budgets.ts';
import { coalesceQueries } from './database/coalesce-queries.ts';
import type { Database } from './database/open-database.ts';
import { ttlCache } from './database/ttl-cache.ts';
import { findReadLedgers, type IsLedgerRead, ledgerKey } from './icrc/read-ledgers.ts';
import { type AskedKey, areKeysReused, bindKeys, type KeyToBind } from './idempotency/bound-keys.ts';
import { keepAnswer, recallAnswer } from './idempotency/stored-answers.ts';
import { loadAcceptancesOfMany, type WantedAcceptances } from './intent/load-acceptances.ts';
import { type IntentStatusRead, loadStatus } from './intent/load-intent.ts';
import { loadIssued } from './intent/load-issued.ts';
import { loadPayable } from './intent/load-payable.ts';
import { recordCancellation } from './intent/record-cancellation.ts';
import { createRecordIntent, reserveIntentCodes } from './intent/record-intents.ts';
import { markAsleep, markAwake } from './lane/awake-lanes.ts';
import { findWithdrawn } from './lane/network-health.ts';
import { claimPayments, findClaim } from './payment/claim-payment.ts';
import { findFinished } from './payment/find-finished.ts';
import { recordAttempt } from './payment/record-refused-attempt.ts';
import { queueRefused, recordRefused } from './payment/refused-authorizations.ts';
import { createTransferStores } from './payment/transfer-stores.ts';
import { openReference } from './reference/open-reference.ts';
import { createRefundStore } from './refund/refund-store.ts';
import { type CachedSettings, createCachedSettings } from './settings/cached-settings.ts';
import { followChanges } from './settings/follow-changes.ts';
import { readChanges } from './settings/read-changes.ts';
import type { SettingsCacheOptions } from './settings/settings-cache.ts';
import {
  loadClaimed,
  loadResults,
  loadSettlement,
  loadSettlements,
  loadTransfers,
  type WantedSettlement,
  type WantedTransfer,
} from './settlement/load-settlement.ts';
import { loadUpto } from './settlement/load-upto.ts';
import { recordConfirmation } from './settlement/record-upto-confirmation.ts';
import { findHourlyCaps } from './token/hourly-caps.ts';
import { leaseAuthorizations, payerKeyOf } from './x402/lease-authorizations.ts';
import { beginSettle, loadLeases, markLeaseAnswers, returnLease, takeOverLease } from './x402/settle-leases.ts';

export type ApiStores = CachedSettings &
  Pick<CreateIntentPorts, 'recordIntent'> &
  Required<Pick<CreateIntentPorts, 'findWithdrawn' | 'findHourlyCaps'>> &
  CancelIntentPorts &
  Pick<CreateRefundPorts, 'keepAnswer'> &
  Pick<
    SettlePorts,
    | 'loadSettlement'
    | 'loadAcceptances'
    | 'loadWalletBudget'
    | 'claimPayment'
    | 'recordRefused'
    | 'queueRefused'
    | 'findClaim'
    | 'loadClaimed'
    | 'recordAttempt'
    | 'isKeyReused'
    | 'bindKey'
    | 'loadResult'
  > &
  Pick<UptoPorts, 'loadUpto' | 'recordConfirmation'> &
  LeaseStore & {
    readonly loadPayable: LoadPayable;
    readonly openReference: OpenReference;
    readonly isLedgerRead: IsLedgerRead;
    readonly reserveIntentCodes: (count: number) => Promise<readonly number[]>;
    readonly loadStatus: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IntentStatusRead | undefined>;
    readonly loadIssued: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IssuedOffer>;
    readonly findFinished: (awaited: readonly AwaitedPayment[]) => Promise<readonly Id<'payment'>[]>;
    readonly markAwake: (network: NetworkId) => Promise<readonly Lane[]>;
    readonly markAsleep: (lane: Lane) => Promise<void>;
    readonly recordKeyUses: (uses: readonly KeyUse[]) => Promise<number>;
    readonly transfers: TransferStores;
    readonly refunds: RefundStore;
    /** Replaces what this process wrote of the hour before. */
    readonly writeAbuseCounts: (process: string, page: AbusePage) => Promise<void>;
    readonly deleteOldAbuseCounts: (beforeMs: number) => Promise<void>;
  };

export type ApiStoreOptions = {
  readonly clock: Clock;
  /** How long answers are cached at most. 0: not at all. */
  readonly cacheMs: number;
  /** Absent: API keys and settings of accounts are not cached. */
  readonly settingsCache?: {
    /** Most cached answers of one kind. */
    readonly entries: number;
    /** Is asked for changes of keys and settings. */
    readonly changesPool: pg.Pool;
    readonly onChangesNotRead: (problem: unknown) => void;
  };
};

/** Answers that depend on the time, or that everybody shares, are cached for a short while. */
const SHARED_MS = 1_000;
/** For statements that wait for nobody's lock. One at once makes the largest groups, which cost least. */
const TOGETHER = { concurrent: 1, most: 256 };
/** For statements that may wait for a lock: a second one goes on meanwhile. */
const LOCKING = { concurrent: 2, most: 256 };

export function createApiStores({ pool }: Database, options: ApiStoreOptions): ApiStores {
  const { clock, cacheMs } = options;
  const memory = { nowMs: clock.nowMs, ttlMs: Math.min(cacheMs, SHARED_MS) };
  const readLedgers = ttlCache(memory, () => findReadLedgers(pool, clock.nowMs()));
  const loadOne = coalesceQueries(TOGETHER, (wanted: readonly WantedSettlement[]) => loadSettlements(pool, wanted));
  const loadTransfer = coalesceQueries(TOGETHER, (wanted: readonly WantedTransfer[]) => loadTransfers(pool, wanted));
  const loadOffered = coalesceQueries(TOGETHER, (wanted: readonly WantedAcceptances[]) =>
    loadAcceptancesOfMany(pool, wanted, 'x402'),
  );
  const isReused = coalesceQueries(TOGETHER, (asked: readonly AskedKey[]) => areKeysReused(pool, asked));
  const bind = coalesceQueries(LOCKING, (bound: readonly KeyToBind[]) => bindKeys(pool, bound));
  return {
    ...createCachedSettings(pool, settingsCacheOf(options)),
    findWithdrawn: ttlCache(memory, () => findWithdrawn(pool)),
    findHourlyCaps: ttlCache(memory, () => findHourlyCaps(pool)),
    isLedgerRead: async (token) => (await readLedgers()).has(ledgerKey(token)),
    reserveIntentCodes: (count) => reserveIntentCodes(pool, count),
    recordIntent: createRecordIntent(pool, { free: TOGETHER, keyed: LOCKING }),
    loadStatus: (caller, intentId) => loadStatus(pool, caller, intentId),
    loadIssued: (caller, intentId) => loadIssued(pool, caller, intentId),
    loadPayable: (caller, intentId) => loadPayable(pool, caller, intentId),
    loadIntent: async (caller, intentId) => (await loadStatus(pool, caller, intentId))?.intent,
    recallAnswer: (caller, claim) => recallAnswer(pool, caller, claim),
    keepAnswer: (caller, claim, answer, nowMs) => keepAnswer(pool, caller, claim, answer, nowMs),
    recordCancellation: (...given) => recordCancellation(pool, clock.nowMs(), ...given),
    loadSettlement: (caller, intentId, sent) => loadSettlement(pool, caller, intentId, sent, loadOne, loadTransfer),
    loadAcceptances: (caller, intentId) => loadOffered({ caller, intentId }),
    loadWalletBudget: (network, party) => loadWalletBudget(pool, network, party),
    claimPayment: coalesceQueries({ ...LOCKING, keyOf: ({ intentId }: PaymentClaim) => intentId }, (claims) =>
      claimPayments(pool, claims),
    ),
    findClaim: (caller, intentId, key) => findClaim(pool, caller, intentId, key),
    loadClaimed: (caller, intentId, key) => loadClaimed(pool, caller, intentId, key),
    recordRefused: (refused) => recordRefused(pool, refused),
    queueRefused: (caller, intentId, key, nowMs) => queueRefused(pool, caller, intentId, key, nowMs),
    recordAttempt: (attempt) => recordAttempt(pool, attempt),
    isKeyReused: (caller, claim) => isReused({ caller, claim }),
    bindKey: (caller, claim, nowMs) => bind({ caller, claim, nowMs }),
    loadResult: coalesceQueries(TOGETHER, (awaited: readonly AwaitedPayment[]) => loadResults(pool, awaited)),
    loadUpto: (caller, intentId, authorization) => loadUpto(pool, caller, intentId, authorization),
    recordConfirmation: (confirmation) => recordConfirmation(pool, confirmation),
    leaseAuthorization: coalesceQueries({ ...LOCKING, keyOf: (order: LeaseOrder) => payerKeyOf(order) }, (orders) =>
      leaseAuthorizations(pool, orders),
    ),
    loadLease: coalesceQueries(TOGETHER, (wanted: readonly LeasedAuthorization[]) => loadLeases(pool, wanted)),
    beginSettle: (order) => beginSettle(pool, order),
    takeOver: (claimKey, call) => takeOverLease(pool, claimKey, call),
    returnLease: (order) => returnLease(pool, order),
    markAnswers: (marks) => markLeaseAnswers(pool, marks),
    findFinished: (awaited) => findFinished(pool, awaited),
    openReference: (reference, nowMs) => openReference(pool, reference, nowMs),
    markAwake: (network) => markAwake(pool, network),
    markAsleep: (lane) => markAsleep(pool, lane),
    recordKeyUses: (uses) => recordKeyUses(pool, uses),
    writeAbuseCounts: (process, page) => writeAbuseCounts(pool, process, page),
    deleteOldAbuseCounts: (beforeMs) => deleteOldAbuseCounts(pool, beforeMs),
    refunds: createRefundStore(pool),
    transfers: createTransferStores(pool, clock, { reads: TOGETHER, writes: LOCKING }),
  };
}

function settingsCacheOf({ cacheMs, settingsCache }: ApiStoreOptions): SettingsCacheOptions | undefined {
  if (cacheMs === 0 || settingsCache === undefined) return undefined;
  const { entries, changesPool, onChangesNotRead } = settingsCache;
  const nowMs = () => performance.now();
  const changes = followChanges({
    read: (above) => readChanges(changesPool, above),
    nowMs,
    maxAccounts: entries,
    onProblem: onChangesNotRead,
  });
  return { changes, nowMs, lifeMs: cacheMs, maxEntries: entries };
}
