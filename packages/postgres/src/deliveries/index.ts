export { createDeliveryStore } from './delivery-store.ts';
export { enableEndpoint } from './enable-endpoint.ts';
export { type DeliveryMeasures, measureDeliveries } from './measure-deliveries.ts';
export { type FailingEndpoint, nameFailing } from './warn-failing.ts';
export { workRecovery } from './work-recovery.ts';
