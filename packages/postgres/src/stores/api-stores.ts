// Everything the API asks of Postgres, behind core's ports.
import type {
  AuthenticatePorts,
  AwaitedPayment,
  Caller,
  CancelIntentPorts,
  Clock,
  CreateIntentPorts,
  Lane,
  PaymentClaim,
  PreparedTransaction,
  SettlePorts,
  UptoPorts,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import { markAsleep, markAwake } from './awake-lanes.ts';
import { bindKey, isKeyReused } from './bound-keys.ts';
import { claimPayments, findClaim } from './claim-payment.ts';
import type { Database } from './database.ts';
import { findEnded } from './find-ended.ts';
import { findKey } from './find-key.ts';
import { findWithdrawn } from './find-withdrawn.ts';
import { gatherAsks } from './gather-asks.ts';
import { loadAcceptancesOfMany, type WantedAcceptances } from './load-acceptances.ts';
import { type IntentStatusRead, loadStatus } from './load-intent.ts';
import { loadMerchant } from './load-merchant.ts';
import { loadSettlement, loadSettlements, type WantedSettlement } from './load-settlement.ts';
import { loadUpto } from './load-upto.ts';
import { findPrepared, storePrepared } from './prepared-transfers.ts';
import { recordAttempt } from './record-attempt.ts';
import { recordCancellation } from './record-cancellation.ts';
import { recordConfirmation } from './record-confirmation.ts';
import { recordIntent } from './record-intent.ts';
import { reserveIntentCodes } from './reserve-intent-codes.ts';
import { shortMemory } from './short-memory.ts';
import { recallAnswer } from './stored-answers.ts';
import {
  chooseRelayer,
  isActiveRelayer,
  loadStoredPayout,
  type PayoutName,
  type StoredPayout,
} from './transfer-terms.ts';

export type ApiStores = Pick<AuthenticatePorts, 'findKey'> &
  Pick<CreateIntentPorts, 'loadMerchant' | 'recordIntent'> &
  Required<Pick<CreateIntentPorts, 'findWithdrawn'>> &
  CancelIntentPorts &
  Pick<
    SettlePorts,
    'loadSettlement' | 'loadAcceptances' | 'claimPayment' | 'findClaim' | 'recordAttempt' | 'isKeyReused' | 'bindKey'
  > &
  Pick<UptoPorts, 'loadUpto' | 'recordConfirmation'> & {
    readonly reserveIntentCodes: (count: number) => Promise<readonly number[]>;
    readonly loadStatus: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IntentStatusRead | undefined>;
    readonly findEnded: (awaited: readonly AwaitedPayment[]) => Promise<readonly Id<'payment'>[]>;
    readonly markAwake: (network: NetworkId) => Promise<readonly Lane[]>;
    readonly markAsleep: (lane: Lane) => Promise<void>;
    readonly transfers: TransferStores;
  };

/** Of payments for which the payer signs a whole transaction. */
export type TransferStores = {
  readonly storePrepared: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    prepared: PreparedTransaction,
  ) => Promise<PreparedTransaction>;
  readonly findPrepared: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    payer: string,
    blockhash: string,
  ) => Promise<readonly PreparedTransaction[]>;
  readonly loadStoredPayout: (caller: Caller, name: PayoutName) => Promise<StoredPayout | undefined>;
  readonly chooseRelayer: (caller: Caller, network: NetworkId, intentId: string) => Promise<string | undefined>;
  readonly isActiveRelayer: (caller: Caller, network: NetworkId, relayer: string) => Promise<boolean>;
};

export type ApiStoreOptions = {
  readonly clock: Clock;
  /** How long a key and an account's settings are remembered: a revoked key may be served this much longer. */
  readonly memoryMs: number;
};

const MAX_REMEMBERED = 10_000;
/** Of a pool's connections these many carry such questions; the others stay free for whatever else is asked. */
const TOGETHER = { atOnce: 2, most: 64 };

export function createApiStores({ pool }: Database, { clock, memoryMs }: ApiStoreOptions): ApiStores {
  const memory = { nowMs: clock.nowMs, ttlMs: memoryMs, maxEntries: MAX_REMEMBERED };
  const withdrawn = shortMemory(
    memory,
    (all: 'all') => all,
    () => findWithdrawn(pool),
  );
  const loadOne = gatherAsks(TOGETHER, (wanted: readonly WantedSettlement[]) => loadSettlements(pool, wanted));
  const loadOffered = gatherAsks(TOGETHER, (wanted: readonly WantedAcceptances[]) =>
    loadAcceptancesOfMany(pool, wanted),
  );
  return {
    findKey: shortMemory(
      memory,
      (index: Uint8Array) => Buffer.from(index).toString('latin1'),
      (index) => findKey(pool, index),
    ),
    loadMerchant: shortMemory(
      memory,
      (caller: Caller) => `${caller.accountId}/${caller.mode}`,
      (caller) => loadMerchant(pool, caller),
    ),
    findWithdrawn: () => withdrawn('all'),
    reserveIntentCodes: (count) => reserveIntentCodes(pool, count),
    recordIntent: (record) => recordIntent(pool, record),
    loadStatus: (caller, intentId) => loadStatus(pool, caller, intentId),
    loadIntent: async (caller, intentId) => (await loadStatus(pool, caller, intentId))?.intent,
    recallAnswer: (caller, claim) => recallAnswer(pool, caller, claim),
    recordCancellation: (caller, before, idempotency, deed) =>
      recordCancellation(pool, clock.nowMs(), caller, before, idempotency, deed),
    loadSettlement: (caller, intentId, sent) => loadSettlement(pool, caller, intentId, sent, loadOne),
    loadAcceptances: (caller, intentId) => loadOffered({ caller, intentId }),
    claimPayment: gatherAsks({ ...TOGETHER, keyOf: ({ intentId }: PaymentClaim) => intentId }, (claims) =>
      claimPayments(pool, claims),
    ),
    findClaim: (caller, intentId, key) => findClaim(pool, caller, intentId, key),
    recordAttempt: (attempt) => recordAttempt(pool, attempt),
    isKeyReused: (caller, claim) => isKeyReused(pool, caller, claim),
    bindKey: (caller, claim, nowMs) => bindKey(pool, caller, claim, nowMs),
    loadUpto: (caller, intentId, authorization) => loadUpto(pool, caller, intentId, authorization),
    recordConfirmation: (confirmation) => recordConfirmation(pool, confirmation),
    findEnded: (awaited) => findEnded(pool, awaited),
    markAwake: (network) => markAwake(pool, network),
    markAsleep: (lane) => markAsleep(pool, lane),
    transfers: {
      storePrepared: (caller, intentId, prepared) => storePrepared(pool, caller, intentId, prepared, clock.nowMs()),
      findPrepared: (caller, intentId, payer, blockhash) => findPrepared(pool, caller, intentId, payer, blockhash),
      loadStoredPayout: (caller, name) => loadStoredPayout(pool, caller, name),
      chooseRelayer: (caller, network, intentId) => chooseRelayer(pool, caller, network, intentId),
      isActiveRelayer: (caller, network, relayer) => isActiveRelayer(pool, caller, network, relayer),
    },
  };
}
