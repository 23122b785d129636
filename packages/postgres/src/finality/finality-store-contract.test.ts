import { testFinalityStore } from '@svc-pay/core/testing/contracts';
import { createPostgresHarness } from '../testing/store-harness.ts';

testFinalityStore(createPostgresHarness);
