// Contract suites of the stores. They declare tests, so only test files import this module.
export type * from './apply-harness.ts';
export { testApplyStore } from './apply-store-contract.ts';
export { deliveryStoreContract, deliveryStoreSequences } from './delivery-store-contract.ts';
export { applied, finalOf, receivedLog, transferOfUse, typesOf, used, usedLog } from './final-logs.ts';
export { testFinalityStore } from './finality-store-contract.ts';
export type { IcrcHarness, LedgerIntent } from './icrc-harness.ts';
export { testIcrcStore } from './icrc-store-contract.ts';
export { testLaneStore } from './lane-store-contract.ts';
export { testLinks } from './link-contract.ts';
export type { ReaderHarness } from './reader-harness.ts';
export { testReaderStore } from './reader-store-contract.ts';
export { testRefundLane } from './refund-lane-contract.ts';
export { type StoredRefundRows, testRefundStore } from './refund-store-contract.ts';
export type { StoredRows, StoreHarness } from './store-harness.ts';
export { testStrandedStore } from './stranded-store-contract.ts';
