import { describe } from 'vitest';
import { testIcrcStore } from './icrc-store-contract.ts';
import { createMemoryIcrcHarness } from './memory-icrc-harness.ts';

describe('token ledgers in memory', () => testIcrcStore(async () => createMemoryIcrcHarness()));
