import { expect, test } from 'vitest';
import { costsBetween, type Reading } from './costs.ts';

const BEFORE: Reading = {
  atMs: 1_000,
  charged: { api: 1, postgres: 2 },
  beside: { chain: 5, load: 1 },
  machine: { busy: 100, kernel: 30, stolen: 1, total: 200 },
  head: 10n,
  calls: { eth_call: 100 },
  listenOverflows: 7,
  database: { countedSince: 'a', walBytes: 1_000, statements: { api: 10 } },
};
const AFTER: Reading = {
  atMs: 11_000,
  charged: { api: 2, postgres: 4 },
  beside: { chain: 6, load: 1.5 },
  machine: { busy: 106, kernel: 32, stolen: 1.5, total: 220 },
  head: 20n,
  calls: { eth_call: 400, eth_sendRawTransaction: 100 },
  listenOverflows: 9,
  database: { countedSince: 'a', walBytes: 2_001_000, statements: { api: 60, settlement: 50 } },
};
const ROWS = {
  before: {
    inserted: 10,
    updated: 5,
    updatedInPage: 1,
    deleted: 0,
    byTable: { events: { inserted: 5, updated: 0, updatedInPage: 0, deleted: 0 } },
  },
  after: {
    inserted: 810,
    updated: 505,
    updatedInPage: 101,
    deleted: 100,
    byTable: {
      events: { inserted: 205, updated: 0, updatedInPage: 0, deleted: 0 },
      lanes: { inserted: 0, updated: 0, updatedInPage: 0, deleted: 0 },
    },
  },
};
const costs = costsBetween(BEFORE, AFTER, { gas: 5_000_000, rows: ROWS }, 100);

test('a payment is charged with the CPU of the named processes, and with that of nobody else', () => {
  expect(costs.cpuMsOf).toEqual({ api: 10, postgres: 20 });
  expect(costs.cpuMs).toBe(30);
});

test('what the machine did besides the named processes is the rest', () => {
  // 6 seconds were busy: 3 charged, 1 of the chain, 0.5 of the load.
  expect(costs.besideMsOf).toEqual({ chain: 10, load: 5, rest: 15 });
  expect(costs).toMatchObject({ kernelMs: 20, stolenMs: 5, busyShare: 0.3, seconds: 10 });
});

test('counts begin at the first reading, also those that had no name then', () => {
  expect(costs.rpcCallsOf).toEqual({ eth_call: 3, eth_sendRawTransaction: 1 });
  expect(costs).toMatchObject({ gas: 50_000, walBytes: 20_000, statements: 1, rpcCalls: 4, rowVersions: 13 });
});

test('row versions are told by table, without tables in which nothing was written', () => {
  expect(costs.rowVersionsOf.byTable).toEqual({ events: { inserted: 2, updated: 0, updatedInPage: 0, deleted: 0 } });
});

test('dropped connections are told for the whole reading and not for a payment', () => {
  expect(costs.listenOverflows).toBe(2);
});

test('counts of a server that crashed meanwhile are refused', () => {
  const database = { ...AFTER.database, countedSince: 'b', walBytes: 0, statements: {} };
  expect(() => costsBetween(BEFORE, { ...AFTER, database }, { gas: 0 }, 100)).toThrow(/crashed/);
});
