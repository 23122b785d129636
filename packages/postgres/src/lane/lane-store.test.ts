import { laneRound, outcomesOf } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { loadAgeingBatches, recordFinal } from '../finality/finalize-batches.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld, FIRST_NONCE, type LaneWorld } from '../testing/lane-world.ts';
import { findForgottenLanes } from './relayers.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);
const column = async ({ pool }: LaneWorld, query: string) =>
  (await pool.query(query)).rows.map((row) => Object.values(row)[0]);

test('what is queued settles once, completed with its intent, books and events', async () => {
  const lane = await world();
  const [paymentId] = await lane.queue(120);
  await lane.settle();
  expect(await lane.statuses()).toEqual({ completed: 120 });
  expect([...lane.chain.settled.values()]).toEqual(Array(120).fill(1));
  expect(await column(lane, 'select nonce from svc.batches order by nonce')).toEqual(
    Array.from({ length: lane.chain.minedTransactions() }, (_, index) => String(FIRST_NONCE + BigInt(index))),
  );
  expect(await column(lane, 'select distinct status from svc.intents')).toEqual(['completed']);
  expect(await column(lane, 'select distinct status from svc.settlements')).toEqual(['completed']);
  const entries = await lane.pool.query(
    `select account_name, amount from svc.ledger_entries where payment_id = $1 and asset <> 'native' order by amount`,
    [paymentId],
  );
  expect(entries.rows).toEqual([
    { account_name: 'payer', amount: '-1500000' },
    { account_name: 'platform_fee', amount: '15000' },
    { account_name: 'merchant', amount: '1485000' },
  ]);
  const events = await lane.pool.query(
    'select type, sequence from svc.events where payment_id = $1 order by sequence',
    [paymentId],
  );
  expect(events.rows).toEqual([
    { type: 'payment.created', sequence: 2 },
    { type: 'payment.completed', sequence: 3 },
  ]);
  expect(
    await column(lane, "select sum(amount) from svc.ledger_entries where asset = 'native' and amount > 0"),
  ).toEqual([String(1_000_003 * lane.chain.minedTransactions())]);
});

test('a payment that the simulation sorts out fails alone, unsent, and its intent is payable again', async () => {
  const lane = await world();
  const [, bad] = await lane.queue(10);
  lane.chain.spoil(bad ?? '', 'insufficient_funds', 'simulated');
  await lane.settle();
  expect(await lane.statuses()).toEqual({ completed: 9, failed: 1 });
  const { rows } = await lane.pool.query(
    `select p.failure_code, p.transaction_id, i.status, s.status as settlement
     from svc.payments p join svc.intents i on i.payment_id = p.id join svc.settlements s on s.payment_id = p.id
     where p.id = $1`,
    [bad],
  );
  expect(rows).toEqual([
    { failure_code: 'insufficient_funds', transaction_id: null, status: 'requires_payment', settlement: 'failed' },
  ]);
});

test('a payment that fails unsent does not name what an older release left on it', async () => {
  const lane = await world();
  const [bad] = await lane.queue(1);
  await lane.pool.query("update svc.payments set transaction_id = '0xgone', transaction_split_id = '0xgone:1'");
  lane.chain.spoil(bad ?? '', 'insufficient_funds', 'simulated');
  await lane.settle();
  const { rows } = await lane.pool.query('select status, transaction_id, transaction_split_id from svc.payments');
  expect(rows).toEqual([{ status: 'failed', transaction_id: null, transaction_split_id: null }]);
});

test('a batch that is signed again to the same bytes is marked and linked by the attempt that sends it', async () => {
  const lane = await world();
  const [paymentId] = await lane.queue(1);
  const { store } = lane.deps;
  const lease = await lane.takeLease();
  const items = await store.loadQueue(lease, { index: 0, count: 1 }, 9);
  const signed = { transactionId: '0xsame', raw: Buffer.from('same') };
  const send = async (id: string, nonce: bigint) => {
    expect(await store.storeBatches(lease, [{ id, nonce, signed, items }])).toBe(true);
    await store.recordAttempts(lease, [{ batch: { id, items }, taken: true, link: signed.transactionId }]);
  };
  await send('bat_first', FIRST_NONCE);
  await store.recordReplaced(lease, 'bat_first');
  await send('bat_again', FIRST_NONCE + 1n);
  const { rows } = await lane.pool.query(
    'select id, status, linked_transaction_id as linked from svc.batches order by nonce',
  );
  expect(rows).toEqual([{ id: 'bat_first', status: 'broadcast', linked: '0xsame' }]);
  const named = await column(lane, `select transaction_id from svc.payments where id = '${paymentId}'`);
  expect(named).toEqual(['0xsame']);
  const told = await column(lane, "select request_id from svc.events where type like 'payment.%' order by sequence");
  expect(new Set(told)).toEqual(new Set(['bat_first']));
});

test('where money may have moved the payment is held: not failed, not sent again', async () => {
  const lane = await world();
  const [used] = await lane.queue(3);
  lane.chain.spoil(used ?? '', 'authorization_used', 'simulated');
  await lane.settle();
  expect(await lane.statuses()).toEqual({ completed: 2, pending: 1 });
  expect(await column(lane, "select payment_id from svc.settlements where status = 'held'")).toEqual([used]);
});

test('an item that failed in a mined transaction is called failed when its block is final, not before', async () => {
  const lane = await world();
  const [bad] = await lane.queue(3);
  lane.chain.spoil(bad ?? '', 'insufficient_funds', 'mined');
  await lane.settle();
  expect(await lane.statuses()).toEqual({ completed: 2, pending: 1 });
  expect(await loadAgeingBatches(lane.pool, lane.lane.network, 0n, 10)).toEqual([]);
  const [batch] = await loadAgeingBatches(lane.pool, lane.lane.network, 1_000n, 10);
  if (batch === undefined) throw new Error('no batch is ageing');
  expect(batch.openItems.map(({ paymentId }) => paymentId)).toEqual([bad]);
  const pendingBatch = { id: batch.id, nonce: 0n, status: 'broadcast', sentAtMs: 0, items: batch.openItems } as const;
  const [mined] = await lane.chain.findMined([
    { ...pendingBatch, transactions: [{ transactionId: batch.transactionId, raw: new Uint8Array() }] },
  ]);
  if (mined === undefined) throw new Error('it is not mined');
  for (const _ of [1, 2]) await recordFinal(lane.pool, batch, outcomesOf(batch, mined), Date.now());
  expect(await lane.statuses()).toEqual({ completed: 2, failed: 1 });
  const events = await lane.pool.query('select type from svc.events where payment_id = $1 order by sequence', [bad]);
  expect(events.rows.map(({ type }) => type)).toEqual(['payment.created', 'payment.failed']);
});

test('a process whose lease was taken over can neither send nor record', async () => {
  const lane = await world();
  await lane.queue(2);
  const old = await lane.takeLease();
  await lane.takeLease();
  expect(await laneRound(lane.deps, old)).toBe('taken_over');
  const items = await lane.store.loadQueue(lane.lane, { index: 0, count: 1 }, 10);
  const signed = await lane.chain.sign(items, FIRST_NONCE);
  const batch = { id: 'bat_old', nonce: FIRST_NONCE, signed, items };
  expect(await lane.store.storeBatches(old, [batch])).toBe(false);
  expect(await column(lane, 'select count(*)::integer from svc.batches')).toEqual([0]);
  expect(await lane.store.recordUnsent(old, [{ item: items[0] as never, outcome: 'expired' }])).toBe(false);
  expect(await lane.statuses()).toEqual({ pending: 2 });
});

test('a batch is stored whole or not at all: one item taken meanwhile, nothing is written, the nonce stays', async () => {
  const lane = await world();
  const [first] = await lane.queue(3);
  const lease = await lane.takeLease();
  const items = await lane.store.loadQueue(lease, { index: 0, count: 1 }, 10);
  await lane.pool.query("update svc.settlements set status = 'canceled' where payment_id = $1", [first]);
  const signed = await lane.chain.sign(items, FIRST_NONCE);
  expect(await lane.store.storeBatches(lease, [{ id: 'bat_torn', nonce: FIRST_NONCE, signed, items }])).toBe(false);
  expect(await column(lane, 'select next_nonce from svc.relayers')).toEqual([String(FIRST_NONCE)]);
  expect(await column(lane, 'select count(*)::integer from svc.batch_transactions')).toEqual([0]);
});

test('a chain out of reach changes nothing, and when it is back everything goes on', async () => {
  const lane = await world();
  await lane.queue(5);
  const lease = await lane.takeLease();
  lane.chain.cutOff(true);
  expect(await laneRound(lane.deps, lease)).toBe('blocked');
  expect(await lane.statuses()).toEqual({ pending: 5 });
  lane.chain.cutOff(false);
  await lane.settle();
  expect(await lane.statuses()).toEqual({ completed: 5 });
});

test('lanes of one network share its queue without meeting', async () => {
  const first = await world();
  const second = await createLaneWorld(first.pool, `0x${'6e'.repeat(20)}`);
  await first.queue(20);
  const [one, two] = [await first.takeLease(), await second.takeLease()];
  const shares = [await first.store.heartbeat(one), await second.store.heartbeat(two)];
  const queues = await Promise.all(
    shares.map(async (state) => first.store.loadQueue(one, state?.share ?? { index: 0, count: 1 }, 100)),
  );
  const numbers = queues.flat().map(({ paymentId }) => paymentId);
  expect(queues.map(({ length }) => length)).toEqual([10, 10]);
  expect(new Set(numbers).size).toBe(20);
});

test('a lane with work and without a sign of life is found, one that works or has nothing to do is not', async () => {
  const lane = await world();
  const longAgo = Date.now() - 60_000;
  expect(await findForgottenLanes(lane.pool, longAgo)).toEqual([]);
  await lane.queue(1);
  expect(await findForgottenLanes(lane.pool, longAgo)).toEqual([lane.lane]);
  const lease = await lane.takeLease();
  expect(await findForgottenLanes(lane.pool, longAgo)).toEqual([]);
  expect(await findForgottenLanes(lane.pool, Date.now() + 1)).toEqual([lane.lane]);
  await laneRound(lane.deps, lease);
  expect(await lane.store.fallAsleep(lease)).toBe(false);
  await lane.settle();
  expect(await findForgottenLanes(lane.pool, Date.now() + 1)).toEqual([]);
});
