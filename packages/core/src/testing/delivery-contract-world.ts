// The world of the contract of DeliveryStore: a harness with short ways to emit, lease and report.
import { newId } from '@svc-pay/protocol/ids';
import type { EndpointKey, LeasedDelivery } from '../index.ts';
import type { DeliveryHarness, NewContractEndpoint } from './delivery-harness.ts';
import { type SampleAnswer, sampleReport } from './sample-report.ts';

export const NOW = 1_794_744_000_000;
export const LEASE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** What is read of a delivery that waits for its endpoint. */
export const PARKED = { status: 'pending', nextAtMs: Number.POSITIVE_INFINITY, isLeased: false };

export type EnterDeliveries = () => Promise<ReturnType<typeof createDeliveryContractWorld>>;

export function createDeliveryContractWorld(harness: DeliveryHarness) {
  const { store } = harness;
  const leaseAll = async (endpoint: EndpointKey, nowMs: number, room = 10, keptRoom = 0) =>
    (await store.leaseDeliveries([{ ...endpoint, room, keptRoom }], nowMs, LEASE_MS)).toSorted(byEvent);
  const report = (
    answers: readonly (readonly [LeasedDelivery | undefined, SampleAnswer])[],
    nowMs: number,
    startedAtMs = nowMs,
  ) =>
    store.recordDeliveries(
      answers.map(([lease, answer]) => sampleReport(lease ?? {}, answer, nowMs, { startedAtMs })),
      nowMs,
    );
  return {
    ...harness,
    readDelivery: (endpoint: EndpointKey, eventId = 'none') => harness.readDelivery(endpoint, eventId),
    readAttempts: (endpoint: EndpointKey, eventId = 'none') => harness.readAttempts(endpoint, eventId),
    leaseAll,
    report,
    addEndpoint: (change: Partial<NewContractEndpoint> = {}) =>
      harness.addEndpoint({ id: newId('endpoint', NOW), changedAtMs: NOW - 30 * DAY_MS, ...change }),
    /** Deliveries due at `dueAtMs`, one millisecond after the other; the ids of their events. */
    emit: async (endpoint: EndpointKey, count = 1, dueAtMs = NOW, goesFirst = false): Promise<readonly string[]> => {
      const eventIds = Array.from({ length: count }, (_, index) => newId('event', dueAtMs + index)).toSorted();
      for (const [index, eventId] of eventIds.entries()) {
        await harness.addDelivery(endpoint, eventId, dueAtMs + index - count, goesFirst);
      }
      return eventIds;
    },
    leaseOne: async (endpoint: EndpointKey, nowMs: number) => (await leaseAll(endpoint, nowMs, 1))[0],
  };
}

const byEvent = (one: LeasedDelivery, other: LeasedDelivery) => (one.eventId < other.eventId ? -1 : 1);
