import { describe } from 'vitest';
import { testFinalityStore } from './finality-store-contract.ts';
import { testLaneStore } from './lane-store-contract.ts';
import { testLinks } from './link-contract.ts';
import { createMemoryHarness } from './memory-harness.ts';
import { testRefundLane } from './refund-lane-contract.ts';
import { testStrandedStore } from './stranded-store-contract.ts';

const create = async () => createMemoryHarness();

describe('lanes in memory', () => testLaneStore(create));
describe('refunds of lanes in memory', () => testRefundLane(create));
describe('links in memory', () => testLinks(create));
describe('finality in memory', () => testFinalityStore(create));
describe('stranded transfers in memory', () => testStrandedStore(create));
