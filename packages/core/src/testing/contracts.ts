// Contract suites of the stores. They declare tests, so only test files import this module.
export { deliveryStoreContract, deliveryStoreSequences } from './delivery-store-contract.ts';
export { testFinalityStore } from './finality-store-contract.ts';
export { testLaneStore } from './lane-store-contract.ts';
export type { StoredRows, StoreHarness } from './store-harness.ts';
export { testStrandedStore } from './stranded-store-contract.ts';
