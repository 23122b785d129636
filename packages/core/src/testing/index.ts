// For tests of this and other packages: samples, and a store in memory that answers as Postgres does.
export type * from './delivery-harness.ts';
export { openMemoryDeliveries } from './memory-delivery-harness.ts';
export { createMemoryDeliveryStore } from './memory-delivery-store.ts';
export * from './memory-delivery-tables.ts';
export * from './memory-endpoints.ts';
export * from './memory-finality-store.ts';
export { createMemoryLaneStore } from './memory-lane-store.ts';
export * from './memory-payment-results.ts';
export * from './memory-tables.ts';
export * from './plain.ts';
export * from './sample-report.ts';
export * from './samples.ts';
