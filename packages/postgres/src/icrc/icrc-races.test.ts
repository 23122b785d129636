// Who is at work on a block at the same time as another, and what is written together. The database is real.
import { setTimeout as wait } from 'node:timers/promises';
import { type IcrcStore, notifyTransfer } from '@svc-pay/core';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createIcrcWorld, DOLLAR, type IcrcWorld } from '../testing/icrc-world.ts';

let pool: pg.Pool;

async function begin(): Promise<IcrcWorld> {
  ({ pool } = await createTestDatabase());
  return createIcrcWorld(pool);
}

const cursorOf = async ({ sample, icrc }: IcrcWorld) =>
  (await icrc.loadCursor(sample.chain.network, sample.ledger))?.nextIndex;

/** Another process has begun with the block of the intent; `end` lets go of it. */
async function holdBlock(index: bigint): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await pool.connect();
  await client.query('begin');
  const { rowCount } = await client.query('select from svc.icrc_transfers where block_index = $1 for update', [index]);
  expect(rowCount).toBe(1);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

const isDone = async (work: Promise<unknown>) => (await Promise.race([work, wait(250, 'no')])) !== 'no';

async function keepBlock(run: IcrcWorld, intentId: string): Promise<bigint> {
  const index = await run.pay(intentId);
  const { network } = run.sample.chain;
  const { ledger } = run.sample;
  const [from, to, blockTimeMs] = [run.payer, run.merchant, run.nowMs()];
  const intentCode = await run.codeOf(intentId);
  await run.icrc.keep({ network, ledger, index, from, to, amountAtomic: DOLLAR, intentCode, blockTimeMs }, run.nowMs());
  return index;
}

test('notify of a block that another process is applying answers when that is done', async () => {
  const run = await begin();
  const intentId = await run.intent();
  const end = await holdBlock(await keepBlock(run, intentId));
  const answer = run.notify(intentId, 0n);
  expect(await isDone(answer)).toBe(false);
  await end();
  expect(await answer).toBe('applied');
  expect(await run.intentOf(intentId)).toBe('completed');
});

test('notify of a block that was read and is not applied yet answers when the reader has applied it', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId);
  await run.read({ ...run.icrc, loadDue: async () => [] });
  run.sample.calls.splice(0);
  const answer = run.notify(intentId, 0n);
  expect(await isDone(answer)).toBe(false);
  expect(run.sample.calls).toEqual([]);
  await run.read();
  expect(await answer).toBe('recorded');
  expect(await run.intentOf(intentId)).toBe('completed');
});

test('notify waits a bounded number of moments for a block that is not applied', async () => {
  const run = await begin();
  const [read, held] = [await run.intent(), await run.intent()];
  await run.pay(read);
  await run.read({ ...run.icrc, loadDue: async () => [] });
  const heldIndex = await keepBlock(run, held);
  const end = await holdBlock(heldIndex);
  let pausedMs = 0;
  const pause = async (milliseconds: number) => {
    pausedMs += milliseconds;
  };
  const deps = { icrc: run.icrc, clock: { nowMs: run.nowMs }, log: () => {}, chains: [run.sample.chain], pause };
  for (const [intentId, blockIndex] of [
    [read, 0n],
    [held, heldIndex],
  ] as const) {
    pausedMs = 0;
    const { ledger } = run.sample;
    const asked = { accountId: run.accountId, mode: 'test', intentId, ledger, blockIndex } as const;
    expect(await notifyTransfer(deps, asked)).toEqual({ outcome: 'recorded' });
    expect(pausedMs).toBe(2_000);
    expect(await run.intentOf(intentId)).toBe('requires_payment');
  }
  await end();
});

test('a cursor that stands elsewhere is not moved, neither on nor back, and nothing is kept', async () => {
  const run = await begin();
  run.sample.add(null, run.nowMs());
  const intentId = await run.intent();
  // This process asks the ledger while another reads the same blocks and applies them.
  const slow: IcrcStore = {
    ...run.icrc,
    moveCursor: async (...given) => {
      await run.read();
      run.sample.add(null, run.nowMs());
      await run.read();
      return run.icrc.moveCursor(...given);
    },
  };
  await run.pay(intentId);
  await run.read(slow);
  expect(await cursorOf(run)).toBe(3n);
  expect((await pool.query('select from svc.icrc_transfers')).rowCount).toBe(0);
  expect(await run.paymentsOf(intentId)).toHaveLength(1);
});

test('the cursor does not pass a block whose transfer could not be kept', async () => {
  const run = await begin();
  await run.read();
  const intentId = await run.intent();
  await run.pay(intentId);
  await pool.query('alter table svc.icrc_transfers add constraint full_disk check (false) not valid');
  await run.read();
  expect(await cursorOf(run)).toBe(0n);
  await pool.query('alter table svc.icrc_transfers drop constraint full_disk');
  await run.read();
  expect([await cursorOf(run), await run.intentOf(intentId)]).toEqual([1n, 'completed']);
});
