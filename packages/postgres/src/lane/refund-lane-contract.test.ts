import { testRefundLane } from '@svc-pay/core/testing/contracts';
import { createPostgresHarness } from '../testing/store-harness.ts';

testRefundLane(createPostgresHarness);
