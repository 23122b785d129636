import { describe } from 'vitest';
import { createMemoryRefundHarness } from './memory-refund-harness.ts';
import { testRefundStore } from './refund-store-contract.ts';

describe('refunds in memory', () => testRefundStore(createMemoryRefundHarness()));
