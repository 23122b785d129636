export { claimDeliveries, type Wanted } from './claim-deliveries.ts';
export { enableEndpoint } from './enable-endpoint.ts';
export { fallAsleep } from './fall-asleep.ts';
export { type DueEndpoint, type DueEndpoints, findDueEndpoints } from './find-due-endpoints.ts';
export { type KeyHolder, loadSigningKeys, type SealedSigningKey } from './load-signing-keys.ts';
export { type DeliveryMeasures, measureDeliveries } from './measure-deliveries.ts';
export { type Recorded, recordDeliveries, type SwitchedOff } from './record-deliveries.ts';
export { beatShard, findSleepingShards, type HeldShard, type Shard, takeOverShard } from './shards.ts';
export { type EndpointKey, stopDeliveries } from './stop-deliveries.ts';
