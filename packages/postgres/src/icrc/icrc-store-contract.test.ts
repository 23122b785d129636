import { testIcrcStore } from '@svc-pay/core/testing/contracts';
import { createIcrcHarness } from '../testing/icrc-harness.ts';

testIcrcStore(createIcrcHarness);
