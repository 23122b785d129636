// Everything the API asks of Postgres, behind core's ports.
import type { AuthenticatePorts, Caller, CancelIntentPorts, Clock, CreateIntentPorts } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { Database } from './database.ts';
import { findKey } from './find-key.ts';
import { type IntentStatusRead, loadStatus } from './load-intent.ts';
import { loadMerchant } from './load-merchant.ts';
import { recordCancellation } from './record-cancellation.ts';
import { recordIntent } from './record-intent.ts';
import { reserveIntentCodes } from './reserve-intent-codes.ts';
import { shortMemory } from './short-memory.ts';
import { recallAnswer } from './stored-answers.ts';

export type ApiStores = Pick<AuthenticatePorts, 'findKey'> &
  Pick<CreateIntentPorts, 'loadMerchant' | 'recordIntent'> &
  CancelIntentPorts & {
    readonly reserveIntentCodes: (count: number) => Promise<readonly number[]>;
    readonly loadStatus: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<IntentStatusRead | undefined>;
  };

export type ApiStoreOptions = {
  readonly clock: Clock;
  /** How long a key and an account's settings are remembered: a revoked key may be served this much longer. */
  readonly memoryMs: number;
};

const MAX_REMEMBERED = 10_000;

export function createApiStores({ pool }: Database, { clock, memoryMs }: ApiStoreOptions): ApiStores {
  const memory = { nowMs: clock.nowMs, ttlMs: memoryMs, maxEntries: MAX_REMEMBERED };
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
    reserveIntentCodes: (count) => reserveIntentCodes(pool, count),
    recordIntent: (record) => recordIntent(pool, record),
    loadStatus: (caller, intentId) => loadStatus(pool, caller, intentId),
    loadIntent: async (caller, intentId) => (await loadStatus(pool, caller, intentId))?.intent,
    recallAnswer: (caller, claim) => recallAnswer(pool, caller, claim),
    recordCancellation: (caller, before, idempotency) =>
      recordCancellation(pool, clock.nowMs(), caller, before, idempotency),
  };
}
