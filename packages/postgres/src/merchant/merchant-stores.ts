// What a merchant's backend reads and changes, behind two doors: reads of a caller, and writes that are one commit each.
import type { Caller, Clock, EventDraft, IdempotencyClaim } from '@svc-pay/core';
import type { Database } from '../stores/database.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  type EndpointFields,
  enableEndpoint,
  rotateSecret,
  updateEndpoint,
} from './change-endpoint.ts';
import { createEndpoint, type NewEndpoint } from './create-endpoint.ts';
import { type EventFilter, listEvents } from './list-events.ts';
import { listDeliveries, loadEvent } from './read-deliveries.ts';
import { listEndpoints, loadEndpoint } from './read-endpoints.ts';
import { beginRecovery, loadRecovery, type NewRecovery } from './recoveries.ts';
import { recordSample, resendEvent, statusOf } from './send-again.ts';
import { type Done, type Refused, type Work, type Written, writeOnce } from './work.ts';

export type MerchantReads = ReturnType<typeof readsOf>;
export type MerchantWrites = ReturnType<typeof writesOf>;

export type MerchantStores = {
  readonly read: (caller: Caller) => MerchantReads;
  /** Everything that `perform` does, and its answer, or nothing. */
  readonly write: (
    caller: Caller,
    claim: IdempotencyClaim | null,
    perform: (writes: MerchantWrites) => Promise<Done | Refused>,
  ) => Promise<Written>;
};

export function createMerchantStores({ pool }: Pick<Database, 'pool'>, clock: Clock): MerchantStores {
  return {
    read: (caller) => readsOf(pool, caller, clock),
    write: (caller, claim, perform) => writeOnce(pool, caller, claim, clock.nowMs(), (work) => perform(writesOf(work))),
  };
}

function readsOf(pool: Database['pool'], caller: Caller, clock: Clock) {
  return {
    endpoint: (endpointId: string) => loadEndpoint(pool, caller, endpointId, clock.nowMs()),
    endpoints: (limit: number, before: string | undefined) => listEndpoints(pool, caller, limit, before, clock.nowMs()),
    deliveries: (endpointId: string, asked: Parameters<typeof listDeliveries>[3]) =>
      listDeliveries(pool, caller, endpointId, asked),
    event: (eventId: string) => loadEvent(pool, caller, eventId),
    events: (filter: EventFilter) => listEvents(pool, caller, filter),
    recovery: (recoveryId: string) => loadRecovery(pool, caller, recoveryId),
  };
}

function writesOf(work: Work) {
  return {
    nowMs: work.nowMs,
    createEndpoint: (made: NewEndpoint) => createEndpoint(work, made),
    updateEndpoint: (endpointId: string, fields: EndpointFields) => updateEndpoint(work, endpointId, fields),
    deleteEndpoint: (endpointId: string) => deleteEndpoint(work, endpointId),
    enableEndpoint: (endpointId: string) => enableEndpoint(work, endpointId),
    disableEndpoint: (endpointId: string) => disableEndpoint(work, endpointId),
    rotateSecret: (endpointId: string, secretCiphertext: Uint8Array, overlapMs: number) =>
      rotateSecret(work, endpointId, secretCiphertext, overlapMs),
    statusOf: (endpointId: string) => statusOf(work, endpointId),
    resendEvent: (eventId: string, endpointId: string | null) => resendEvent(work, eventId, endpointId),
    recordSample: (draft: EventDraft, endpointId: string | null) => recordSample(work, draft, endpointId),
    beginRecovery: (made: NewRecovery) => beginRecovery(work, made),
  };
}
