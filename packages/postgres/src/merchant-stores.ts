// Stores of the merchant API: reads of a caller, and writes that are one commit each.
import type { Caller, Clock, EventDraft, IdempotencyClaim } from '@svc-pay/core';
import type { Database } from './database/open-database.ts';
import { listDeliveries, loadEvent } from './delivery/read-deliveries.ts';
import { beginReplay, loadReplay, type NewEventReplay } from './delivery/replays.ts';
import { recordSample, resendEvent, statusOf } from './delivery/resend-events.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  type EndpointFields,
  enableEndpoint,
  rotateSecret,
  updateEndpoint,
} from './endpoint/change-endpoint.ts';
import { createEndpoint, type NewEndpoint } from './endpoint/create-endpoint.ts';
import { listEndpoints, loadEndpoint } from './endpoint/read-endpoints.ts';
import { type EventFilter, listEvents } from './event/list-events.ts';
import {
  type Done,
  type MerchantWork,
  type RefusedWrite,
  type Written,
  writeOnce,
} from './idempotency/merchant-write.ts';

export type MerchantReads = ReturnType<typeof readsOf>;
export type MerchantWrites = ReturnType<typeof writesOf>;

export type MerchantStores = {
  readonly read: (caller: Caller) => MerchantReads;
  /** Commits everything that `perform` writes together with its stored answer, or nothing. */
  readonly write: (
    caller: Caller,
    claim: IdempotencyClaim | null,
    perform: (writes: MerchantWrites) => Promise<Done | RefusedWrite>,
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
    replay: (replayId: string) => loadReplay(pool, caller, replayId),
  };
}

function writesOf(work: MerchantWork) {
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
    beginReplay: (made: NewEventReplay) => beginReplay(work, made),
  };
}
