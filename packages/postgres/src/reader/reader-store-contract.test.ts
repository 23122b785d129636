import { testReaderStore } from '@svc-pay/core/testing/contracts';
import { createReaderHarness } from '../testing/reader-harness.ts';

testReaderStore(createReaderHarness);
