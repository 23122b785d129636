// A token ledger that was installed anew is read anew, with nothing lost. The ledger is in memory; the database is real.
import { type IcrcStore, type LedgerContinuation, type LedgerCursor, readContinuation } from '@svc-pay/core';
import { beforeEach, expect, test } from 'vitest';
import { createMaintenanceStore } from '../maintenance-store.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createIcrcWorld, ICRC_NETWORK, type IcrcWorld } from '../testing/icrc-world.ts';
import { loadTokenLedger } from './report-token-ledgers.ts';
import { resetTokenLedger } from './reset-token-ledger.ts';

let run: IcrcWorld;

beforeEach(async () => {
  run = await createIcrcWorld((await createTestDatabase()).pool);
});

const stored = async () => {
  const found = await loadTokenLedger(run.pool, ICRC_NETWORK, run.sample.ledger);
  if (found === undefined) throw new Error('the ledger is not read');
  return found;
};
const reset = async (cursor: LedgerCursor, told?: LedgerContinuation) =>
  resetTokenLedger(
    { pool: run.pool, nowMs: run.nowMs(), actor: 'operator:ada' },
    { mode: 'test', cursor, told: told ?? (await readContinuation(run.sample.chain, cursor)), reason: 'anew' },
  );
/** The ledger begins anew with so many blocks. */
const installAnew = (blocks: number) => {
  run.sample.blocks.length = 0;
  for (let block = 0; block < blocks; block += 1) run.sample.add(null, run.nowMs() + block);
};

test('after a reset the new ledger is read and its payments count, and the old ones stay', async () => {
  const [before, after] = [await run.intent(), await run.intent()];
  await run.pay(before);
  await run.read();
  installAnew(3);
  await run.read();
  const cursor = await stored();
  expect(cursor).toMatchObject({ nextIndex: 1n, stoppedAtMs: expect.any(Number) });
  expect(await reset(cursor)).toEqual({ ok: true, countedBlocks: 1, highestCounted: 0n });
  const index = await run.pay(after);
  await run.read();
  expect(await run.paymentsOf(before)).toHaveLength(1);
  expect(await run.paymentsOf(after)).toMatchObject([
    { status: 'completed', transaction: `${run.sample.ledger}:${index}` },
  ]);
  expect(await stored()).toMatchObject({ nextIndex: 4n, stoppedAtMs: null });
  const { rows } = await run.pool.query(
    `select actor, target, detail from svc.audit where action = 'token_ledger.reset'`,
  );
  expect(rows).toEqual([
    {
      actor: 'operator:ada',
      target: `icp:local/${run.sample.ledger}`,
      detail: expect.objectContaining({ reason: 'anew', nextIndex: '1', countedBlocks: 1 }),
    },
  ]);
});

test('an intent that was paid in time does not expire between the reset of its ledger and the next reading', async () => {
  const { expireIntents } = createMaintenanceStore(run.pool);
  const [paid, unpaid] = [await run.intent(), await run.intent()];
  run.sample.add(null, run.nowMs());
  await run.read();
  installAnew(3);
  await run.read();
  const expiresAtMs = run.nowMs() + 1_000;
  await run.pool.query('update svc.intents set expires_at = $1', [new Date(expiresAtMs)]);
  await run.pay(paid);
  expect(await reset(await stored())).toMatchObject({ ok: true });
  run.later(70_000);
  await expireIntents(run.nowMs(), 10);
  expect([await run.intentOf(paid), await run.intentOf(unpaid)]).toEqual(['requires_payment', 'requires_payment']);
  await run.read();
  await expireIntents(run.nowMs(), 10);
  expect([await run.intentOf(paid), await run.intentOf(unpaid)]).toEqual(['completed', 'canceled']);
});

test('an intent on a ledger without a cursor expires after an hour', async () => {
  const { expireIntents } = createMaintenanceStore(run.pool);
  const intentId = await run.intent();
  const expiresAtMs = run.nowMs() + 1_000;
  await run.pool.query('update svc.intents set expires_at = $1', [new Date(expiresAtMs)]);
  await expireIntents(expiresAtMs + 3_599_000, 10);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
  await expireIntents(expiresAtMs + 3_601_000, 10);
  expect(await run.intentOf(intentId)).toBe('canceled');
});

test('nothing is reset where money would be lost', async () => {
  const intentId = await run.intent();
  run.sample.add(null, run.nowMs());
  await run.pay(intentId);
  await run.read();
  expect(await reset(await stored())).toEqual({ ok: false, code: 'ledger_continues' });
  installAnew(1);
  expect(await reset(await stored())).toMatchObject({ ok: false, code: 'ledger_too_short', highestCounted: 1n });
  installAnew(9);
  await run.pool.query(
    `insert into svc.icrc_transfers (network, ledger, block_index, from_account, to_account, amount, intent_code, block_time,
       found_at, next_try_at) values ($1, $2, 7, 'from', 'to', 1, 1, now(), now(), now())`,
    [ICRC_NETWORK, run.sample.ledger],
  );
  expect(await reset(await stored())).toEqual({ ok: false, code: 'transfers_wait', waiting: 1 });
  expect(await stored()).toMatchObject({ nextIndex: 2n });
});

test('a cursor that moved while the ledger was asked stays', async () => {
  await run.read();
  const cursor = await stored();
  run.sample.add(null, run.nowMs());
  await run.read();
  expect(await reset(cursor, { continues: false, length: 9n })).toEqual({ ok: false, code: 'cursor_moved' });
  expect(await stored()).toMatchObject({ nextIndex: 1n });
});

test('a reader that loaded the cursor before the reset writes nothing to the one that was opened since at the same block', async () => {
  run.sample.add(null, run.nowMs());
  await run.read();
  const old = await stored();
  installAnew(1);
  let during: (() => Promise<void>) | undefined = async () => {
    expect(await reset(old)).toMatchObject({ ok: true });
    await run.icrc.openCursor({ ...old, lastHash: run.sample.blocks[0]?.hash ?? null });
  };
  const between: IcrcStore = {
    ...run.icrc,
    loadCursor: async (network, ledger) => {
      const loaded = await run.icrc.loadCursor(network, ledger);
      const [next] = [during];
      during = undefined;
      await next?.();
      return loaded;
    },
  };
  run.sample.add(null, run.nowMs());
  await run.read(between);
  expect(run.logged.join()).toContain('token_ledger_forked');
  expect(await stored()).toMatchObject({ nextIndex: 1n, stoppedAtMs: null });
  await run.read();
  expect(await stored()).toMatchObject({ nextIndex: 2n, stoppedAtMs: null });
});
