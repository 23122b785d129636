// Bugs of deliveries to put in on purpose.
import type { DeliveryStore } from '@svc-pay/core';
import type { Tables } from '@svc-pay/core/testing';
import type { DispatcherDeps } from '@svc-pay/webhooks/dispatch';

export type DeliveryBug = {
  readonly deps?: (deps: DispatcherDeps) => DispatcherDeps;
  readonly store?: (store: DeliveryStore, tables: Tables) => DeliveryStore;
};

/** A lease ends after a moment. */
const forgettingLease: DeliveryBug = { deps: (deps) => ({ ...deps, leaseMs: 5 }) };

/** Every attempt is reported as a success. */
const believingAnything: DeliveryBug = {
  deps: (deps) => ({
    ...deps,
    attempt: async (delivery, stopped) => {
      const report = await deps.attempt(delivery, stopped);
      const record = { ...report.record, outcome: 'succeeded' as const };
      return { delivery, record, verdict: { next: 'succeeded' } };
    },
  }),
};

/** A failure is judged by what was known of the endpoint when the delivery was leased, not by its row. */
const switchingOffByOldFailure: DeliveryBug = {
  store: (store, { endpoints }) => {
    const failingSince = new Map<string, number | null>();
    const keyOf = ({ eventId, endpointId, fence }: Readonly<Record<'eventId' | 'endpointId' | 'fence', string>>) =>
      `${eventId} ${endpointId} ${fence}`;
    return {
      ...store,
      leaseDeliveries: async (...given) => {
        const leased = await store.leaseDeliveries(...given);
        for (const delivery of leased) {
          failingSince.set(keyOf(delivery), endpoints.get(delivery.endpointId)?.failingSinceMs ?? null);
        }
        return leased;
      },
      recordDeliveries: (reports, nowMs) => {
        for (const { delivery, verdict } of reports) {
          const [sinceMs, row] = [failingSince.get(keyOf(delivery)) ?? null, endpoints.get(delivery.endpointId)];
          if (verdict.next === 'succeeded' || sinceMs === null || row?.status !== 'enabled') continue;
          row.failingSinceMs = sinceMs;
        }
        return store.recordDeliveries(reports, nowMs);
      },
    };
  },
};

export const DELIVERY_BUGS = { forgettingLease, believingAnything, switchingOffByOldFailure } as const;
