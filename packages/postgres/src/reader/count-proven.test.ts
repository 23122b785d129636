// Logs of batches that a lane has recorded before the chain reader reads them, on a chain whose blocks may go.
import { createLaneComparison, type MinedBatch, type PendingBatch, type ProcessorLog } from '@svc-pay/core';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { loadBatchBlocks, loadRecordedBatch } from '../finality/mined-batches.ts';
import { moveBatch } from '../finality/move-batch.ts';
import { reverseBatch } from '../finality/reverse-reorged-batch.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { whileUncommitted } from '../testing/while-uncommitted.ts';
import { countProven } from './count-proven.ts';
import { dropRecorded } from './drop-recorded.ts';
import { createLaneComparisonStore } from './lane-comparison.ts';
import { createReaderStore } from './reader-store.ts';

const PROCESSOR = `0x${'2a'.repeat(20)}`;
const SOURCE = { address: PROCESSOR, kind: 'processor' as const };
const blockAt = (number: bigint, hash = `0x${number}`) => ({ number, hash, timeSeconds: number });
const START = blockAt(0n);

async function world() {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  const { pool } = lane;
  const { network } = lane.lane;
  const reader = createReaderStore(pool);
  const nowMs = () => Date.now();
  await reader.startCursors(network, [{ ...SOURCE, at: START }], nowMs());
  const batches = () => loadBatchBlocks(pool, network, 0n, 100);
  return {
    ...lane,
    network,
    reader,
    batches,
    settleThree: async () => {
      const paid = await lane.queue(3);
      await lane.settle();
      return paid;
    },
    /** What the chain logged of the recorded payments. */
    logs: async (): Promise<readonly ProcessorLog[]> => {
      const { rows } = await pool.query(
        `select i.intent_code, p.payer, p.asset, p.paid_amount, p.transaction_split_id, b.block_number, b.block_hash,
           s.payout_id
         from svc.payments p
         join svc.intents i on i.id = p.intent_id
         join svc.settlements s on s.payment_id = p.id
         join svc.batches b on b.id = s.batch_id
         where p.status = 'completed' order by p.transaction_split_id`,
      );
      return rows.map((row) => {
        const [transactionId, logIndex] = row.transaction_split_id.split(':');
        return {
          event: 'payment_settled',
          address: PROCESSOR,
          intentCode: BigInt(row.intent_code),
          payer: row.payer,
          asset: row.asset,
          payoutId: BigInt(row.payout_id),
          amountAtomic: BigInt(row.paid_amount),
          feeAtomic: 0n,
          position: {
            transactionId,
            logIndex: Number(logIndex),
            blockNumber: BigInt(row.block_number),
            blockHash: row.block_hash,
          },
        };
      });
    },
    pass: (logs: readonly ProcessorLog[], to = blockAt(900n), from = START) =>
      reader.passBlocks({ network, sources: [SOURCE], from, to, logs, nowMs: nowMs() }),
    stored: () => reader.loadUnapplied(network, 1_000n, undefined, 100),
    counts: async () =>
      (await pool.query<{ logs_read: number }>('select logs_read from svc.batches order by nonce')).rows.map(
        ({ logs_read }) => logs_read,
      ),
    unread: async () =>
      (await pool.query<{ count: number }>('select count(*)::integer as count from svc.log_proofs where not read'))
        .rows[0]?.count,
    /** What is told of batches once they are final. */
    compare: async () => {
      await pool.query("update svc.batches set status = 'finalized' where status = 'mined'");
      const told: unknown[] = [];
      await createLaneComparison(network, {
        comparison: createLaneComparisonStore(pool),
        clock: { nowMs: () => nowMs() + 3_600_000 },
        log: (event, details) => told.push({ event, ...details }),
        metrics: { batchDiffers: () => {} },
      }).run();
      return told;
    },
  };
}

test('logs that a lane has recorded from the same block are counted when they are read, and not stored', async () => {
  const { settleThree, logs, pass, stored, counts, unread, compare } = await world();
  await settleThree();
  expect(await pass(await logs())).toBe(true);
  expect(await stored()).toEqual([]);
  expect([await counts(), await unread()]).toEqual([[3], 0]);
  expect(await compare()).toEqual([]);
});

test('logs of a batch that becomes final while their reader waits for it are counted', async () => {
  const { settleThree, logs, pass, counts, pool } = await world();
  await settleThree();
  const read = await logs();
  const change = "update svc.batches set status = 'finalized' where status = 'mined'";
  expect(await whileUncommitted(pool, [change], () => pass(read))).toBe(true);
  expect(await counts()).toEqual([3]);
});

test('logs that are read again after a rewind count once', async () => {
  const { settleThree, logs, pass, stored, counts, reader, network } = await world();
  await settleThree();
  const read = await logs();
  await pass(read);
  await reader.rewind(network, START, Date.now());
  expect(await pass(read)).toBe(true);
  expect([await stored(), await counts()]).toEqual([[], [3]]);
});

test('a pass that finds its cursor moved counts nothing', async () => {
  const { settleThree, logs, pass, counts, unread } = await world();
  await settleThree();
  expect(await pass(await logs(), blockAt(900n), blockAt(5n))).toBe(false);
  expect([await counts(), await unread()]).toEqual([[0], 3]);
});

test.each<[string, (log: ProcessorLog) => ProcessorLog]>([
  ['names another amount', (log) => ({ ...log, amountAtomic: log.amountAtomic + 1n })],
  ['names another payer', (log) => ({ ...log, payer: `0x${'99'.repeat(20)}` })],
  ['names another intent', (log) => ({ ...log, intentCode: log.intentCode + 1n })],
  ['is in another block', (log) => ({ ...log, position: { ...log.position, blockHash: '0xother' } })],
  ['has another index', (log) => ({ ...log, position: { ...log.position, logIndex: 777 } })],
  ['is of no batch', (log) => ({ ...log, position: { ...log.position, transactionId: '0xforeign' } })],
  ['is a call of `pay`', (log) => ({ ...log, event: 'payment_received' })],
])('a log that %s is stored beside those that are counted', async (_, change) => {
  const { settleThree, logs, pass, stored, counts } = await world();
  await settleThree();
  const [first, ...rest] = await logs();
  if (first === undefined) throw new Error('no log');
  const other = change(first);
  await pass([other, ...rest]);
  expect([await stored(), await counts()]).toEqual([[other], [2]]);
});

test('a log that is read before its lane records it is stored, and counted when it is dropped', async () => {
  const { queue, settle, logs, pass, stored, counts, pool, network } = await world();
  await queue(2);
  await settle();
  const read = await logs();
  await pool.query('create table kept as select * from svc.log_proofs');
  await pool.query('delete from svc.log_proofs');
  await pass(read);
  expect([await stored(), await counts()]).toEqual([read, [0]]);
  await pool.query('insert into svc.log_proofs select * from kept');
  expect(await dropRecorded(pool, network, read)).toEqual([]);
  expect([await stored(), await counts()]).toEqual([[], [2]]);
});

test('a batch whose counted block is gone is read again in its new block, and agrees when it is final', async () => {
  const { settleThree, settle, logs, pass, stored, counts, compare, ...lane } = await world();
  await settleThree();
  const before = await logs();
  await pass(before);
  lane.chain.reorganise(1_000);
  for (const { id, blockHash } of await lane.batches()) await reverseBatch(lane.pool, id, blockHash, Date.now());
  expect(await counts()).toEqual([0]);
  await lane.reader.rewind(lane.network, START, Date.now());
  await new Promise((resolve) => setTimeout(resolve, 60));
  await settle();
  const after = await logs();
  expect(after.map(({ position }) => position.blockHash)).not.toEqual(before.map(({ position }) => position.blockHash));
  // A node that is behind still shows the block that is gone.
  await pass(before, blockAt(500n));
  expect([await stored(), await counts()]).toEqual([before, [0]]);
  await lane.reader.rewind(lane.network, START, Date.now());
  await pass(after);
  expect([await stored(), await counts()]).toEqual([[], [3]]);
  expect(await compare()).toEqual([]);
});

test.each([
  ['all of its logs are read again', 3, []],
  ['one of its logs is not read again', 2, [{ event: 'batch_logs_differ', completed: 3, logsRead: 2 }]],
])(
  'a batch that the release before took back, which left its number, is judged by what is read now: %s',
  async (_, again, told) => {
    const { settleThree, settle, logs, pass, counts, compare, ...lane } = await world();
    await settleThree();
    await pass(await logs());
    lane.chain.reorganise(1_000);
    for (const { id, blockHash } of await lane.batches()) await reverseBatch(lane.pool, id, blockHash, Date.now());
    await lane.pool.query('update svc.batches set logs_read = 3');
    await lane.reader.rewind(lane.network, START, Date.now());
    await new Promise((resolve) => setTimeout(resolve, 60));
    await settle();
    await pass((await logs()).slice(0, again));
    expect(await counts()).toEqual([3 + again]);
    expect(await compare()).toMatchObject(told);
  },
);

test('a batch that moves to another block after its logs were counted is counted there', async () => {
  const { settleThree, logs, pass, stored, counts, unread, compare, ...lane } = await world();
  await settleThree();
  await pass(await logs());
  const [block] = await lane.batches();
  const batch = await loadRecordedBatch(lane.pool, block?.id ?? '');
  const [mined] = await lane.chain.findMined([batch as PendingBatch]);
  if (block === undefined || batch === undefined || mined === undefined) throw new Error('no batch');
  const moved: MinedBatch = { ...mined, blockNumber: mined.blockNumber + 2n, blockHash: '0xelsewhere' };
  const options = { nowMs: Date.now(), gasCoin: undefined };
  expect(await moveBatch(lane.pool, batch, block.blockHash, moved, options)).toBe(true);
  expect([await counts(), await unread()]).toEqual([[0], 3]);
  await lane.reader.rewind(lane.network, START, Date.now());
  await pass(await logs());
  expect([await stored(), await counts()]).toEqual([[], [3]]);
  expect(await compare()).toEqual([]);
});

test('on tables that were never analyzed each proof and each batch is found by its key', async () => {
  const { pool, network, settleThree, logs } = await world();
  for (let batch = 0; batch < 8; batch += 1) await settleThree();
  const asked: pg.QueryConfig[] = [];
  const { rows: held } = await pool.query<{ id: string }>('select id from svc.batches');
  const client = { query: async (config: pg.QueryConfig) => ({ rows: held, count: asked.push(config) }) };
  await countProven(client as unknown as pg.ClientBase, network, await logs());
  const count = asked.find(({ name }) => name === 'count-proven-logs');
  const database = openDatabase(pool.options.connectionString ?? '', {
    applicationName: 'svc-test-count',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  try {
    const { rows } = await database.pool.query({
      text: `explain (analyze, format json) ${count?.text}`,
      values: count?.values ?? [],
    });
    const plan = JSON.stringify(rows);
    expect(plan).toContain('"Actual Rows":24');
    expect(plan.match(/"Rows Removed by Join Filter":[1-9]\d*/g)).toBeNull();
  } finally {
    await database.close();
  }
});
