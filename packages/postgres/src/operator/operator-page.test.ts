import type { NodeReading } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { beforeEach, expect, test } from 'vitest';
import { createBudgetStore } from '../budget/budget-store.ts';
import { createTestDatabase } from '../testing/index.ts';
import { beginLedgerCheck, endLedgerCheck } from './ledger-checks.ts';
import { loadOperatorFacts } from './load-operator-facts.ts';
import { createNodeReadingStore } from './record-nodes.ts';

const { pool } = await createTestDatabase();
const NETWORK = 'eip155:8453' as NetworkId;
const OTHER = 'eip155:1' as NetworkId;
const NOW = Date.now();
const { recordNodes } = createNodeReadingStore(pool);

const answer = (endpoint: number, change: object = {}): NodeReading => ({
  endpoint,
  tookMs: 12.4,
  answered: true,
  head: 100n,
  headSeconds: 1_800_000_000n,
  finalHead: 90n,
  finalSeconds: 1_799_999_980n,
  ...change,
});
const silence = (endpoint: number, otherChain = false): NodeReading => ({
  endpoint,
  tookMs: 5_000,
  answered: false,
  otherChain,
});
const nodes = async () => (await loadOperatorFacts(pool, NOW)).nodes;

beforeEach(async () => {
  await pool.query('truncate svc.node_readings, svc.ledger_checks');
});

test('a node that falls silent keeps what it last told, and when', async () => {
  await recordNodes(NETWORK, [answer(1), answer(2)], NOW);
  await recordNodes(NETWORK, [silence(1), answer(2, { head: 101n })], NOW + 15_000);
  expect(await nodes()).toMatchObject([
    { endpoint: 1, answered: false, head: 100n, finalHead: 90n, answeredAtMs: NOW, readAtMs: NOW + 15_000 },
    { endpoint: 2, answered: true, head: 101n, tookMs: 12, answeredAtMs: NOW + 15_000 },
  ]);
});

test('an endpoint that left the configuration leaves the readings, and other networks keep theirs', async () => {
  await recordNodes(NETWORK, [answer(1), answer(2), silence(3, true)], NOW);
  await recordNodes(OTHER, [answer(1)], NOW);
  await recordNodes(NETWORK, [answer(1)], NOW + 1);
  expect((await nodes()).map(({ network, endpoint }) => `${network} ${endpoint}`)).toEqual([
    `${OTHER} 1`,
    `${NETWORK} 1`,
  ]);
});

test('a number of a node that can’t be stored spoils no reading of another node', async () => {
  await recordNodes(NETWORK, [answer(1, { head: 2n ** 64n - 1n, headSeconds: 2n ** 62n }), answer(2)], NOW);
  expect(await nodes()).toMatchObject([{ head: null, headMs: null }, { head: 100n }]);
});

test('a run of the ledger check is open until it ends, and the last one that ended stays the last', async () => {
  const first = await beginLedgerCheck(pool, NOW, [NETWORK]);
  expect(await loadOperatorFacts(pool, NOW)).toMatchObject({
    lastCheck: undefined,
    openCheck: { networks: [NETWORK] },
  });
  await endLedgerCheck(pool, String(first), NOW + 5, { booksAtMs: NOW + 1, uncompared: [], looked: 7, differing: 0 });
  const second = await beginLedgerCheck(pool, NOW + 10, []);
  expect(await loadOperatorFacts(pool, NOW)).toMatchObject({
    lastCheck: { looked: 7, differing: 0, obstacle: null, endedAtMs: NOW + 5 },
    openCheck: { startedAtMs: NOW + 10 },
  });
  await endLedgerCheck(pool, String(second), NOW + 20, { obstacle: 'chain_unreadable' });
  expect(await loadOperatorFacts(pool, NOW)).toMatchObject({
    lastCheck: { obstacle: 'chain_unreadable', differing: null },
    openCheck: undefined,
  });
});

test('a database that can’t be written is checked without a record', async () => {
  const client = await pool.connect();
  try {
    await client.query('set default_transaction_read_only = on');
    const readOnly = { query: client.query.bind(client) } as unknown as typeof pool;
    expect(await beginLedgerCheck(readOnly, NOW, [])).toBeUndefined();
  } finally {
    client.release(true);
  }
});

test('what relayers paid is kept for the week over which their float is computed', async () => {
  await pool.query(
    `insert into svc.gas_paid (network, relayer, slot, amount) values
       ($1, 'a', now() - interval '7 days', 1), ($1, 'a', now() - interval '9 days', 1)`,
    [NETWORK],
  );
  await createBudgetStore(pool).forgetOld();
  const { rows } = await pool.query('select count(*)::integer as count from svc.gas_paid');
  expect(rows).toEqual([{ count: 1 }]);
});

test('the backlog counts intents past their end, and nothing else, of an installation where nothing waits', async () => {
  const { backlog } = await loadOperatorFacts(pool, NOW);
  expect(backlog).toEqual([
    { stage: 'delivery', network: null, waiting: 0, oldestMs: null },
    { stage: 'delivery_failing', network: null, waiting: 0, oldestMs: null },
    { stage: 'expiry', network: null, waiting: 0, oldestMs: null },
  ]);
});
