export { createDeliveryStore } from './delivery/delivery-store.ts';
export { createEndpointStore, type EndpointStore } from './delivery/endpoint-store.ts';
export { loadOpenDeliveries, type OpenDeliveries } from './delivery/load-open-deliveries.ts';
export { type DeliveryMeasures, measureDeliveries } from './delivery/measure-deliveries.ts';
export { workReplay } from './delivery/work-replay.ts';
export { enableEndpoint } from './endpoint/enable-endpoint.ts';
export { type FailingEndpoint, nameFailing } from './endpoint/name-failing-endpoints.ts';
export { createWebhookStores, type WebhookStores } from './webhook-stores.ts';
