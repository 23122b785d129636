// For tests of this and other packages: samples, and a store in memory that answers as Postgres does.
export { createMemoryFinalityStore } from './memory-finality-store.ts';
export { createMemoryHarness } from './memory-harness.ts';
export { findForgottenLanes } from './memory-lane-base.ts';
export { createMemoryLaneStore } from './memory-lane-store.ts';
export { writeEvents } from './memory-payment-results.ts';
export { createMemoryRestoreStore } from './memory-restore-store.ts';
export * from './memory-seed.ts';
export { takeSnapshot } from './memory-snapshot.ts';
export { createMemoryStrandedLaneStore } from './memory-stranded-lane-store.ts';
export { createMemoryStrandedStore } from './memory-stranded-store.ts';
export * from './memory-tables.ts';
export * from './plain.ts';
export * from './samples.ts';
