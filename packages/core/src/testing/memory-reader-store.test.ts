import { describe } from 'vitest';
import { createMemoryReaderHarness } from './memory-reader-harness.ts';
import { testReaderStore } from './reader-store-contract.ts';

describe('the chain reader in memory', () => testReaderStore(async () => createMemoryReaderHarness()));
