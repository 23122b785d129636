import type { DeliveryHarness } from './delivery-harness.ts';
import { createMemoryDeliveryStore } from './memory-delivery-store.ts';
import { addMemoryDelivery, createDeliveryTables, deliveryRowKey } from './memory-delivery-tables.ts';
import {
  deleteMemoryEndpoint,
  disableMemoryEndpoint,
  enableMemoryEndpoint,
  memoryEndpoint,
} from './memory-endpoints.ts';

const OWNER = { accountId: 'acct_contract', mode: 'test' } as const;

export function openMemoryDeliveries(accountId: string = OWNER.accountId): DeliveryHarness {
  const owner = { ...OWNER, accountId };
  const events = new Map<string, { readonly body: Uint8Array; readonly sequence: number }>();
  const tables = { ...createDeliveryTables(), events };
  return {
    store: createMemoryDeliveryStore(tables, async (_name, action) => action()),
    addEndpoint: async ({ id, retryCount = 10, failingSinceMs = null, changedAtMs }) => {
      tables.endpoints.set(id, {
        ...owner,
        id,
        url: 'https://shop.example/hooks',
        retryCount,
        timeoutMs: 5_000,
        eventTypes: ['payment.completed'],
        status: 'enabled',
        disabledReason: null,
        failingSinceMs,
        changedAtMs,
      });
      return { ...owner, endpointId: id };
    },
    addDelivery: async (endpoint, eventId, dueAtMs, first = false) => {
      events.set(eventId, { body: new TextEncoder().encode(eventId), sequence: 1 });
      addMemoryDelivery(tables, { ...endpoint, eventId }, dueAtMs, first);
    },
    enable: async (endpoint, nowMs) => enableMemoryEndpoint(tables, endpoint, nowMs),
    disable: async (endpoint, nowMs) => disableMemoryEndpoint(tables, endpoint, nowMs),
    remove: async (endpoint, nowMs) => deleteMemoryEndpoint(tables, endpoint, nowMs),
    readEndpoint: async (endpoint) => {
      const row = memoryEndpoint(tables, endpoint);
      if (row === undefined) return undefined;
      const { status, disabledReason, failingSinceMs } = row;
      return { status, disabledReason, failingSinceMs };
    },
    readDelivery: async ({ endpointId }, eventId) => {
      const row = tables.deliveries.get(deliveryRowKey({ eventId, endpointId }));
      if (row === undefined) return undefined;
      const { status, reason, nextAtMs, leaseUntilMs, attemptCount, unchargedCount } = row;
      return { status, reason, nextAtMs, isLeased: leaseUntilMs !== null, attemptCount, unchargedCount };
    },
    readAttempts: async ({ endpointId }, eventId) =>
      tables.attempts
        .filter((row) => row.eventId === eventId && row.endpointId === endpointId)
        .map(({ attempt, outcome }) => ({ attempt, outcome }))
        .toSorted((one, other) => one.attempt - other.attempt),
  };
}
