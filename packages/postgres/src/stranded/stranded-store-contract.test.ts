import { testStrandedStore } from '@svc-pay/core/testing/contracts';
import { createPostgresHarness } from '../testing/store-harness.ts';

testStrandedStore(createPostgresHarness);
