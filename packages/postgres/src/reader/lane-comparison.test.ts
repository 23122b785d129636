import { createLaneComparison } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createReaderHarness } from '../testing/reader-harness.ts';
import { insertRow, NOW } from '../testing/sample-rows.ts';
import { createLaneComparisonStore } from './lane-comparison.ts';

const MINUTE_MS = 60_000;

/** A network whose only cursor is at block 100. */
async function world() {
  const { pool, reader, network, nowMs } = await createReaderHarness();
  await insertRow(pool, 'relayers');
  const at = { number: 100n, hash: '0x100', timeSeconds: 1n };
  await reader.startCursors(network, [{ address: '0xaa', kind: 'processor', at }], nowMs());
  let nonce = 0;
  const told: unknown[] = [];
  let laterMs = 0;
  const job = createLaneComparison(network, {
    comparison: createLaneComparisonStore(pool),
    clock: { nowMs: () => nowMs() + laterMs },
    log: (event, details) => told.push({ event, ...details }),
    metrics: { batchDiffers: () => told.push('counted') },
  });
  return {
    pool,
    told,
    /** A batch with so many completed payments, of which the reader read so many. */
    batch: async (id: string, completed: number, logsRead: number, change: Record<string, unknown> = {}) => {
      nonce += 1;
      const transaction_id = `0x${id}`;
      const final = { status: 'finalized', block_number: 90 };
      await insertRow(pool, 'batches', { id, nonce, transaction_id, ...final, logs_read: logsRead, ...change });
      for (let each = 0; each < completed; each += 1) {
        const lane = { relayer: '0x4444444444444444444444444444444444444444', batch_id: id, status: 'completed' };
        await insertRow(pool, 'settlements', { payment_id: `pay_${id}_${each}`, ...lane });
      }
      await pool.query(
        `insert into svc.log_proofs (network, transaction_id, log_index, mode, account_id, payment_id, read, created_at)
         select $1, $2, number, 'test', 'acct_of_the_batch', 'pay_' || $3::text || '_' || number, true, $4
         from generate_series(0, $5::integer - 1) as number`,
        [network, transaction_id, id, NOW, logsRead],
      );
    },
    runAfter: async (ms: number) => {
      laterMs = ms;
      await job.run();
    },
    open: async () =>
      (await pool.query<{ id: string }>('select id from svc.batches where not compared order by id')).rows.map(
        ({ id }) => id,
      ),
  };
}

test('a batch whose payments were all read is compared once and never told', async () => {
  const { batch, runAfter, open, told } = await world();
  await batch('bat_same', 3, 3);
  await batch('bat_none', 0, 0);
  await runAfter(0);
  expect(await open()).toEqual([]);
  expect(told).toEqual([]);
});

test('a payment that was never read is told after ten minutes, once', async () => {
  const { batch, runAfter, open, told } = await world();
  await batch('bat_missed', 3, 2);
  await runAfter(9 * MINUTE_MS);
  expect(told).toEqual([]);
  await runAfter(11 * MINUTE_MS);
  await runAfter(12 * MINUTE_MS);
  expect(told).toEqual([
    'counted',
    expect.objectContaining({ event: 'batch_logs_differ', batchId: 'bat_missed', completed: 3, logsRead: 2 }),
  ]);
  expect(await open()).toEqual([]);
});

test('a log whose proof is gone, or is not marked as read, does not count, whatever the number of the batch says', async () => {
  const { batch, runAfter, told, pool } = await world();
  await batch('bat_gone', 2, 2);
  await pool.query("delete from svc.log_proofs where payment_id = 'pay_bat_gone_0'");
  await batch('bat_unread', 2, 2);
  await pool.query("update svc.log_proofs set read = false where transaction_id = '0xbat_unread'");
  await batch('bat_twice', 2, 2);
  await pool.query("update svc.batches set logs_read = 4 where id = 'bat_twice'");
  await runAfter(11 * MINUTE_MS);
  expect(told.filter((each) => each !== 'counted')).toEqual([
    expect.objectContaining({ batchId: 'bat_gone', completed: 2, logsRead: 1 }),
    expect.objectContaining({ batchId: 'bat_unread', completed: 2, logsRead: 0 }),
  ]);
});

test('a batch waits while the reader has not passed its block, while it is not final, and while a log waits', async () => {
  const { batch, runAfter, open, told, pool } = await world();
  await batch('bat_ahead', 1, 0, { block_number: 101 });
  await batch('bat_mined', 1, 0, { status: 'mined' });
  await batch('bat_open', 1, 0);
  await pool.query(
    `insert into svc.read_logs (network, transaction_id, log_index, address, block_number, block_hash, event, log, created_at)
     values ('eip155:84532', '0xbat_open', 0, '0xaa', 90, '0x90', 'payment_settled', '{}', $1)`,
    [NOW],
  );
  await runAfter(60 * MINUTE_MS);
  expect(await open()).toEqual(['bat_ahead', 'bat_mined', 'bat_open']);
  expect(told).toEqual([]);
});

test('batches of another family, and without a cursor, are left alone', async () => {
  const { batch, runAfter, open, pool, told } = await world();
  await pool.query('delete from svc.reader_cursors');
  await batch('bat_uncursored', 1, 0);
  await runAfter(60 * MINUTE_MS);
  expect(await open()).toEqual(['bat_uncursored']);
  expect(told).toEqual([]);
});
