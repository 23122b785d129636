// All stores of the webhooks service.
import type { DeliveryStore, Mode } from '@svc-pay/core';
import type { Database } from './database/open-database.ts';
import { createDeliveryStore } from './delivery/delivery-store.ts';
import { createEndpointStore, type EndpointStore } from './delivery/endpoint-store.ts';
import { loadOpenDeliveries, type OpenDeliveries } from './delivery/load-open-deliveries.ts';
import { type DeliveryMeasures, measureDeliveries } from './delivery/measure-deliveries.ts';

export type WebhookStores = {
  readonly deliveries: DeliveryStore;
  readonly endpoints: EndpointStore;
  readonly loadOpenDeliveries: (modes: readonly Mode[], nowMs: number) => Promise<OpenDeliveries>;
  readonly measureDeliveries: (
    modes: Parameters<typeof measureDeliveries>[1],
    nowMs: number,
  ) => Promise<DeliveryMeasures>;
};

export function createWebhookStores({ pool }: Pick<Database, 'pool'>): WebhookStores {
  return {
    deliveries: createDeliveryStore(pool),
    endpoints: createEndpointStore(pool),
    loadOpenDeliveries: (...given) => loadOpenDeliveries(pool, ...given),
    measureDeliveries: (modes, nowMs) => measureDeliveries(pool, modes, nowMs),
  };
}
