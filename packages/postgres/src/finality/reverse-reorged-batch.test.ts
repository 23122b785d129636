import { hasSameOutcome, laneRound, type MinedBatch, type PendingBatch, type RecordedBatch } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { laneDifferences } from '../testing/lane-differences.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { loadBatchBlocks, loadRecordedBatch } from './mined-batches.ts';
import { moveBatch } from './move-batch.ts';
import { reverseBatch } from './reverse-reorged-batch.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);

/** Reverses every batch whose block is gone, as the watcher does. */
async function reverseGone({ pool, lane, chain }: LaneWorld): Promise<number> {
  const batchBlocks = await loadBatchBlocks(pool, lane.network, 0n, 100);
  const gone = batchBlocks.filter(({ blockNumber, blockHash }) => chain.hashAt(blockNumber) !== blockHash);
  for (const { id, blockHash } of gone) expect(await reverseBatch(pool, id, blockHash, Date.now())).toBe(true);
  return gone.length;
}

const tally = async ({ pool }: LaneWorld, table: string) => {
  const { rows } = await pool.query<{ status: string; count: number }>(
    `select status, count(*)::integer as count from svc.${table} group by status order by status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

const net = async ({ pool }: LaneWorld) =>
  (
    await pool.query<{ sum: string }>(
      'select coalesce(sum(abs(total)), 0)::text as sum from (select sum(amount) as total from svc.ledger_entries group by payment_id, asset, account_name, party) s',
    )
  ).rows[0]?.sum;

describe('a block that is gone', () => {
  test('takes back all of its payments, their entries and their intents, and the merchant hears of each', async () => {
    const lane = await world();
    const payments = await lane.queue(40);
    lane.chain.spoil(payments[3] ?? '', 'insufficient_funds', 'mined');
    await lane.settle();
    expect(await lane.statuses()).toEqual({ completed: 39, pending: 1 });
    lane.chain.reorganise(1_000);
    expect(await reverseGone(lane)).toBe(2);
    expect(await lane.statuses()).toEqual({ pending: 40 });
    expect(await tally(lane, 'intents')).toEqual({ processing: 40 });
    expect(await tally(lane, 'settlements')).toEqual({ batched: 40 });
    expect(await tally(lane, 'batches')).toEqual({ broadcast: 2 });
    expect(await net(lane)).toBe('0');
    const { rows } = await lane.pool.query<{ type: string; body: Buffer }>(
      'select type, body from svc.events where payment_id = $1 order by sequence',
      [payments[0]],
    );
    expect(rows.map(({ type }) => type)).toEqual(['payment.created', 'payment.completed', 'payment.updated']);
    expect(JSON.parse(rows[2]?.body.toString() ?? '')).toMatchObject({
      data: { object: { status: 'pending' }, previous_attributes: { status: 'completed', paidAmount: '1500000' } },
    });
  });

  test('is settled again by the same bytes under the same nonces, once', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    await lane.settle();
    const before = (await lane.pool.query('select transaction_id from svc.batch_transactions order by 1')).rows;
    lane.chain.reorganise(1_000);
    await reverseGone(lane);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await lane.settle();
    expect(await lane.statuses()).toEqual({ completed: 60 });
    expect((await lane.pool.query('select transaction_id from svc.batch_transactions order by 1')).rows).toEqual(
      before,
    );
    expect([...lane.chain.settled.values()]).toEqual(Array(60).fill(1));
    const told = (await laneDifferences(lane, payments)).filter(
      (line) => !/told completed 2 times|in the books/.test(line),
    );
    expect(told).toEqual([]);
  });

  test('is taken back once, whoever looks how often', async () => {
    const lane = await world();
    await lane.queue(3);
    await lane.settle();
    const [batchBlock] = await loadBatchBlocks(lane.pool, lane.lane.network, 0n, 10);
    if (batchBlock === undefined) throw new Error('no batch');
    const both = [1, 2].map(() => reverseBatch(lane.pool, batchBlock.id, batchBlock.blockHash, Date.now()));
    expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
    expect(await net(lane)).toBe('0');
  });
});

describe('a batch in another block', () => {
  const recorded = async (lane: LaneWorld): Promise<{ batch: RecordedBatch; mined: MinedBatch; hash: string }> => {
    await lane.queue(3);
    await lane.settle();
    const [batchBlock] = await loadBatchBlocks(lane.pool, lane.lane.network, 0n, 10);
    const batch = await loadRecordedBatch(lane.pool, batchBlock?.id ?? '');
    const [mined] = await lane.chain.findMined([batch as PendingBatch]);
    if (batchBlock === undefined || batch === undefined || mined === undefined) throw new Error('no batch');
    return { batch, mined, hash: batchBlock.blockHash };
  };

  test('with the same outcome stays completed, and is booked where it is now', async () => {
    const lane = await world();
    const { batch, mined, hash } = await recorded(lane);
    const moved: MinedBatch = {
      ...mined,
      blockNumber: mined.blockNumber + 2n,
      blockHash: '0xelsewhere',
      gasCostAtomic: 7n,
      items: mined.items.map((item) => (item.outcome === 'settled' ? { ...item, logIndex: item.logIndex + 40 } : item)),
    };
    expect(hasSameOutcome(batch, moved)).toBe(true);
    expect(await moveBatch(lane.pool, batch, hash, moved, { nowMs: Date.now(), gasCoin: undefined })).toBe(true);
    expect(await lane.statuses()).toEqual({ completed: 3 });
    const { rows } = await lane.pool.query(
      `select transaction_split_id, (
         select sum(amount)::text from svc.ledger_entries e where e.payment_id = p.id and asset = 'native' and party = 'network'
       ) as gas, (
         select count(*)::integer from svc.events e where e.payment_id = p.id
       ) as events from svc.payments p order by transaction_split_id`,
    );
    expect(rows.map(({ transaction_split_id }) => transaction_split_id)).toEqual(
      [41, 43, 45].map((log) => `${mined.transactionId}:${log}`),
    );
    expect(rows.reduce((sum, { gas }) => sum + BigInt(gas), 0n)).toBe(7n);
    expect(rows.map(({ events }) => events)).toEqual([2, 2, 2]);
    expect(await moveBatch(lane.pool, batch, hash, moved, { nowMs: Date.now(), gasCoin: undefined })).toBe(false);
  });

  test('with another outcome for one of them is not the same', async () => {
    const lane = await world();
    const { batch, mined } = await recorded(lane);
    const [first, ...rest] = mined.items;
    if (first === undefined) throw new Error('no item');
    const items = [{ paymentId: first.paymentId, outcome: 'insufficient_funds' as const }, ...rest];
    expect(hasSameOutcome(batch, { ...mined, items })).toBe(false);
  });
});

test('what a batch carried that can never be mined goes again under another nonce', async () => {
  const lane = await world();
  await lane.queue(5);
  const lease = await lane.takeLease();
  await laneRound(lane.deps, lease);
  const [pendingBatch] = await lane.store.loadPendingBatches(lane.lane);
  expect(await lane.store.recordReplaced(lease, pendingBatch?.id ?? '')).toBe(true);
  expect(await tally(lane, 'settlements')).toEqual({ queued: 5 });
  expect(await tally(lane, 'batches')).toEqual({ replaced: 1 });
});

test('a batch is recorded only when it lies as deep as the payment of it that wants the most', async () => {
  const lane = await world();
  const [deep] = await lane.queue(3);
  await lane.pool.query('update svc.intents set confirmations = 3 where payment_id = $1', [deep]);
  const lease = await lane.takeLease();
  await laneRound(lane.deps, lease);
  lane.chain.mine();
  for (let block = 0; block < 2; block += 1) {
    await laneRound(lane.deps, lease);
    expect(await lane.statuses()).toEqual({ pending: 3 });
    lane.chain.mine();
  }
  await laneRound(lane.deps, lease);
  expect(await lane.statuses()).toEqual({ completed: 3 });
});
