// For tests of this and other packages: samples, and a store in memory that answers as Postgres does.
export type * from './delivery-harness.ts';
export { openMemoryDeliveries } from './memory-delivery-harness.ts';
export { createMemoryDeliveryStore } from './memory-delivery-store.ts';
export * from './memory-delivery-tables.ts';
export * from './memory-endpoints.ts';
export { createMemoryFinalityStore } from './memory-finality-store.ts';
export { findForgottenLanes } from './memory-lane-base.ts';
export { createMemoryLaneStore } from './memory-lane-store.ts';
export { writeEvents } from './memory-payment-results.ts';
export * from './memory-seed.ts';
export { createMemoryStrandedLaneStore } from './memory-stranded-lane-store.ts';
export { createMemoryStrandedStore } from './memory-stranded-store.ts';
export * from './memory-tables.ts';
export * from './plain.ts';
export * from './sample-report.ts';
export * from './samples.ts';
