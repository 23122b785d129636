import { testApplyStore } from './apply-store-contract.ts';
import { createMemoryApplyHarness } from './memory-apply-harness.ts';

testApplyStore(async () => createMemoryApplyHarness());
