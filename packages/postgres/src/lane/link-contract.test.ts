import { testLinks } from '@svc-pay/core/testing/contracts';
import { createPostgresHarness } from '../testing/store-harness.ts';

testLinks(createPostgresHarness);
