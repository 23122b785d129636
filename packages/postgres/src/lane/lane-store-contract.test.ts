import { testLaneStore } from '@svc-pay/core/testing/contracts';
import { createPostgresHarness } from '../testing/store-harness.ts';

testLaneStore(createPostgresHarness);
