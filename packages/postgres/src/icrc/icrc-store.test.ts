// Transfers of a token ledger, from its blocks to the books. The ledger is in memory; the database is real.
import { checkBooks, createFindings, type IcrcStore } from '@svc-pay/core';
import { sampleAccount } from '@svc-pay/core/testing';
import type pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { loadPayable } from '../intent/load-payable.ts';
import { withBooks } from '../ledger/open-books.ts';
import { createMaintenanceStore } from '../maintenance-store.ts';
import { measureReader } from '../reader/measure-reader.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createIcrcWorld, DOLLAR, type IcrcWorld } from '../testing/icrc-world.ts';
import { logInAs } from '../testing/log-in-as.ts';

let pool: pg.Pool;

async function begin(): Promise<IcrcWorld> {
  ({ pool } = await createTestDatabase());
  return createIcrcWorld(pool);
}

/** The books agree with payments, settlements and proofs. */
afterEach(async () => {
  const findings = createFindings(null, ['entries', 'statuses'], 1_000);
  await withBooks(pool, (books) => checkBooks(books, findings));
  expect(findings.lines().flatMap(({ differences }) => differences.map(({ message }) => message))).toEqual([]);
  const { rows } = await pool.query(`
    select 'proofs of ' || p.id as flaw from svc.payments p
    where 1 <> (select count(*) from svc.log_proofs proof where proof.payment_id = p.id)`);
  expect(rows).toEqual([]);
});

const receipts = async () =>
  (
    await pool.query(
      'select reason, log, mode, transaction_id from svc.log_proofs where payment_id is null order by reason desc',
    )
  ).rows;
const cursorOf = async () =>
  (await pool.query('select next_index::integer as next, read_at, stopped_at from svc.icrc_cursors')).rows[0];

test('the exact amount completes its intent, once, and the payment names the block', async () => {
  const run = await begin();
  const intentId = await run.intent();
  const index = await run.pay(intentId);
  for (let reads = 0; reads < 3; reads += 1) await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([
    { status: 'completed', paid: '1000000', payer: run.payer, transaction: `${run.sample.ledger}:${index}` },
  ]);
  expect(await run.intentOf(intentId)).toBe('completed');
  expect(await run.eventsOf(intentId)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  expect(run.logged.map((line) => line.split(' ')[0])).toEqual(['read_log_completed_payment']);
  expect((await pool.query('select from svc.icrc_transfers')).rowCount).toBe(0);
});

test('less is a part, and the part that reaches the sum completes the intent', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId, { amountAtomic: 400_000n });
  await run.read();
  expect(await run.intentOf(intentId)).toBe('mismatched');
  await run.pay(intentId, { amountAtomic: 600_000n });
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([
    { status: 'mismatched', paid: '400000' },
    { status: 'completed', paid: '600000', total: '1000000' },
  ]);
});

test('more completes the intent, and the surplus is due back', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId, { amountAtomic: 2_500_000n });
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'completed', paid: '2500000', due: '1500000' }]);
});

test('a second payment of a completed intent is a payment of its own, and the intent stays as it is', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId);
  await run.pay(intentId, { from: sampleAccount(11) });
  await run.read();
  expect((await run.paymentsOf(intentId)).map(({ status }) => status)).toEqual(['completed', 'mismatched']);
  expect(await run.intentOf(intentId)).toBe('completed');
});

test('a payment after the end of the intent is kept and told, and pays nothing', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await pool.query(`update svc.intents set expires_at = now() - interval '1 minute' where id = $1`, [intentId]);
  await run.pay(intentId);
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'mismatched', due: '1000000' }]);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
});

test('a block whose time is beyond every calendar is late money, and holds up no other', async () => {
  const run = await begin();
  const [late, paid] = [await run.intent(), await run.intent()];
  const index = await run.pay(late);
  await run.pay(paid);
  const block = run.sample.blocks[Number(index)];
  if (block === undefined) throw new Error('no block');
  run.sample.blocks[Number(index)] = { ...block, timestampNs: 10n ** 40n };
  await run.read();
  expect(await run.paymentsOf(late)).toMatchObject([{ status: 'mismatched', due: '1000000' }]);
  expect(await run.intentOf(paid)).toBe('completed');
});

test('the expected sender is the owner of the account that pays, whatever its subaccount', async () => {
  const run = await begin();
  const expectedSender = sampleAccount(9);
  const [own, foreign] = [await run.intent({ expectedSender }), await run.intent({ expectedSender })];
  const from = sampleAccount(9, 3);
  await run.pay(own, { from });
  await run.pay(foreign, { from: sampleAccount(10) });
  await run.read();
  expect(await run.paymentsOf(own)).toMatchObject([{ status: 'completed', payer: from }]);
  expect(await run.paymentsOf(foreign)).toMatchObject([{ status: 'mismatched', payer: sampleAccount(10) }]);
  expect(await run.intentOf(foreign)).toBe('requires_payment');
});

test('each payment that is recorded for an intent makes the next transfer another, also one that does not count', async () => {
  const run = await begin();
  const intentId = await run.intent({ expectedSender: sampleAccount(9) });
  const recorded = async () => (await loadPayable(pool, { accountId: run.accountId, mode: 'test' }, intentId)).payments;
  expect(await recorded()).toBe(0);
  await run.pay(intentId, { from: sampleAccount(10) });
  await run.pay(intentId, { amountAtomic: 400_000n });
  await run.read();
  expect(await recorded()).toBe(2);
  expect(await run.intentOf(intentId)).toBe('mismatched');
});

test('one unit is an unattributed receipt without events', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId, { amountAtomic: 1n });
  await run.read();
  expect(await run.paymentsOf(intentId)).toEqual([]);
  expect(await run.eventsOf(intentId)).toEqual(['payment_intent.created']);
  expect(await receipts()).toMatchObject([{ reason: 'below_minimum', log: { event: 'icrc_transfer', intentId } }]);
});

test('money with the memo of no intent, or for an intent that is not paid there, is an unattributed receipt', async () => {
  const run = await begin();
  const intentId = await run.intent();
  run.sample.pay({ from: run.payer, to: run.merchant, amountAtomic: DOLLAR, intentCode: 5n }, run.nowMs());
  await pool.query('update svc.acceptances set pay_to = $2 where intent_id = $1', [intentId, sampleAccount(8)]);
  await run.pay(intentId);
  await run.read();
  expect(await receipts()).toMatchObject([
    { reason: 'unknown_intent', mode: 'test', log: { intentCode: '5', amountAtomic: '1000000' } },
    { reason: 'other_terms', log: { merchant: run.merchant, payer: run.payer } },
  ]);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
});

test('money to an account of nobody here is passed, whatever its memo', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId, { to: sampleAccount(8) });
  await run.read();
  expect(await receipts()).toEqual([]);
  expect(await cursorOf()).toMatchObject({ next: 1, stopped_at: null });
});

test('an acceptance to an account that is not of the merchant’s payout is not paid by money to it', async () => {
  const run = await begin();
  const other = await createIcrcWorld(pool);
  const intentId = await run.intent();
  await pool.query('update svc.payouts set account_id = $2 where account_id = $1 and network = $3', [
    run.accountId,
    other.accountId,
    'icp:local',
  ]);
  await run.pay(intentId);
  await run.read();
  expect([await run.paymentsOf(intentId), await receipts()]).toMatchObject([[], [{ reason: 'other_terms' }]]);
});

test('a process that dies after any step loses no payment and counts none twice', async () => {
  const run = await begin();
  const intents = [await run.intent(), await run.intent()];
  const dying = (step: keyof IcrcStore, isAfter: boolean): IcrcStore => ({
    ...run.icrc,
    [step]: async (...given: never[]) => {
      if (isAfter) await (run.icrc[step] as (...all: never[]) => Promise<unknown>)(...given);
      throw new Error('dies here');
    },
    ...(step !== 'defer' && {
      defer: async () => {
        throw new Error('is dead');
      },
    }),
  });
  for (const intentId of intents) await run.pay(intentId);
  for (const step of ['openCursor', 'moveCursor', 'loadDue', 'apply'] as const)
    for (const isAfter of [false, true]) await run.read(dying(step, isAfter)).catch(() => undefined);
  await run.read();
  for (const intentId of intents) expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'completed' }]);
});

test('processes that read the ledger at once, while others notify, count each block once', async () => {
  const run = await begin();
  const intents = await Promise.all([1, 2, 3, 4, 5, 6].map(() => run.intent()));
  const blocks = await Promise.all(intents.map((intentId) => run.pay(intentId)));
  await Promise.all([
    run.read(),
    run.read(),
    run.read(),
    ...intents.map((intentId, at) => run.notify(intentId, blocks[at] ?? -1n)),
    ...intents.map((intentId, at) => run.notify(intentId, blocks[at] ?? -1n)),
  ]);
  run.later(20_000);
  await run.read();
  for (const intentId of intents) expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'completed' }]);
  expect(await cursorOf()).toMatchObject({ next: 6 });
});

test('a notified block counts at once, and is not counted again by notify or by the reader', async () => {
  const run = await begin();
  const intentId = await run.intent();
  const index = await run.pay(intentId);
  expect(await run.notify(intentId, index)).toBe('applied');
  expect(await run.intentOf(intentId)).toBe('completed');
  expect(await run.notify(intentId, index)).toBe('recorded');
  await run.read();
  expect(await run.paymentsOf(intentId)).toHaveLength(1);
});

test('a block that is known already, or that the ledger can’t have, is answered without asking it', async () => {
  const run = await begin();
  const [paid, waiting, other] = [await run.intent(), await run.intent(), await run.intent()];
  const counted = await run.pay(paid);
  await run.read();
  const kept = await run.pay(waiting);
  const failing: IcrcStore = { ...run.icrc, loadDue: async () => [] };
  await run.read(failing);
  run.sample.calls.splice(0);
  expect(await run.notify(paid, counted)).toBe('recorded');
  expect(await run.notify(other, counted)).toBe('other_memo');
  expect(await run.notify(waiting, kept)).toBe('recorded');
  expect(await run.notify(other, kept)).toBe('other_memo');
  expect(await run.notify(other, 5_000_000_000n)).toBe('block_not_found');
  expect(run.sample.calls).toEqual([]);
  const next = await run.pay(other);
  expect(await run.notify(other, next)).toBe('applied');
  expect(run.sample.calls).toEqual(['2+1']);
});

test('a notified block that is a lie changes nothing', async () => {
  const run = await begin();
  const [intentId, other] = [await run.intent(), await run.intent()];
  const block = await run.pay(other);
  run.sample.add(null, run.nowMs());
  const elsewhere = await run.pay(intentId, { to: sampleAccount(8) });
  run.sample.add({ from: run.payer, to: run.merchant, amountAtomic: DOLLAR, memo: null }, run.nowMs());
  expect(await run.notify(intentId, block)).toBe('other_memo');
  expect(await run.notify(intentId, 1n)).toBe('not_a_transfer');
  expect(await run.notify(intentId, elsewhere)).toBe('other_account');
  expect(await run.notify(intentId, 3n)).toBe('other_memo');
  expect(await run.notify(intentId, 4n)).toBe('block_not_found');
  expect(await run.notify(intentId, block, 'xevnm-gaaaa-aaaar-qafnq-cai')).toBe('other_ledger');
  expect(await run.intentOf(intentId)).toBe('requires_payment');
  expect((await pool.query('select from svc.icrc_transfers')).rowCount).toBe(0);
  await run.read();
  expect([await run.intentOf(intentId), await run.intentOf(other)]).toEqual(['requires_payment', 'completed']);
});

test('an intent that was paid in time does not expire before its ledger is read, and one that was not paid does', async () => {
  const run = await begin();
  const [paid, unpaid] = [await run.intent(), await run.intent()];
  const { expireIntents } = createMaintenanceStore(pool);
  await run.read();
  const expiresAtMs = run.nowMs() + 1_000;
  await pool.query('update svc.intents set expires_at = $1', [new Date(expiresAtMs)]);
  await run.pay(paid);
  await expireIntents(expiresAtMs + 30_000, 10);
  expect([await run.intentOf(paid), await run.intentOf(unpaid)]).toEqual(['requires_payment', 'requires_payment']);
  run.later(70_000);
  await run.read();
  await expireIntents(expiresAtMs + 90_000, 10);
  expect([await run.intentOf(paid), await run.intentOf(unpaid)]).toEqual(['completed', 'canceled']);
});

test('a transfer that is not applied keeps its intent open; a ledger that nobody reads does so for an hour', async () => {
  const run = await begin();
  const [kept, unread] = [await run.intent(), await run.intent()];
  const { expireIntents } = createMaintenanceStore(pool);
  await run.read();
  const expiresAtMs = run.nowMs() + 10_000;
  await pool.query('update svc.intents set expires_at = $1', [new Date(expiresAtMs)]);
  const index = await run.pay(kept);
  const { ledger } = run.sample;
  const transfer = { network: run.sample.chain.network, ledger, index, from: run.payer, to: run.merchant };
  await run.icrc.keep(
    { ...transfer, amountAtomic: DOLLAR, intentCode: await run.codeOf(kept), blockTimeMs: run.nowMs() },
    run.nowMs(),
  );
  await expireIntents(expiresAtMs + 3_599_000, 10);
  expect(await run.intentOf(unread)).toBe('requires_payment');
  await expireIntents(expiresAtMs + 3_600_000, 10);
  expect([await run.intentOf(kept), await run.intentOf(unread)]).toEqual(['requires_payment', 'canceled']);
  await run.read();
  expect(await run.intentOf(kept)).toBe('completed');
});

test('an intent that left unpaid comes back with its late money', async () => {
  const run = await begin();
  const intentId = await run.intent();
  const maintenance = createMaintenanceStore(pool);
  await pool.query(`update svc.intents set expires_at = now() - interval '1 day' where id = $1`, [intentId]);
  await maintenance.expireIntents(Date.now(), 10);
  const page = await maintenance.loadUnpaidIntents(Date.now() + 1_000, undefined, 10);
  await maintenance.removeUnpaidIntents(page, Date.now() + 1_000);
  expect(await run.intentOf(intentId)).toBeUndefined();
  await run.pay(intentId);
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'mismatched', paid: '1000000' }]);
  expect(await run.intentOf(intentId)).toBe('canceled');
});

test('a ledger that became another stops its cursor, and nothing of it counts', async () => {
  const run = await begin();
  run.sample.add(null, run.nowMs());
  await run.read();
  const intentId = await run.intent();
  await run.pay(intentId);
  const [, second] = run.sample.blocks;
  if (second === undefined) throw new Error('no block');
  run.sample.blocks[1] = { ...second, parentHash: new Uint8Array(32) };
  await run.read();
  expect(await cursorOf()).toMatchObject({ next: 1, stopped_at: expect.any(Date) });
  expect(await run.intentOf(intentId)).toBe('requires_payment');
  run.sample.blocks[1] = second;
  await run.read();
  expect(await cursorOf()).toMatchObject({ next: 2, stopped_at: null });
  expect(await run.intentOf(intentId)).toBe('completed');
});

test('a ledger that became another of the same length stays stopped, and notify counts nothing of it', async () => {
  const run = await begin();
  run.sample.add(null, run.nowMs());
  run.sample.add(null, run.nowMs());
  await run.read();
  const before = await cursorOf();
  run.sample.blocks.splice(0);
  await run.read();
  const intentId = await run.intent();
  const index = await run.pay(intentId);
  expect(await run.notify(intentId, index)).toBe('unknown');
  run.sample.add(null, run.nowMs());
  await run.read();
  expect(await cursorOf()).toEqual({ ...before, stopped_at: expect.any(Date) });
  expect(await run.notify(intentId, index)).toBe('unknown');
  expect(await run.paymentsOf(intentId)).toEqual([]);
});

test('the measures tell how long a ledger is unread, that it stopped, and what waits', async () => {
  const run = await begin();
  const measured = async () => (await measureReader(pool, run.nowMs())).tokenLedgers;
  expect(await measured()).toEqual([]);
  await run.read();
  expect(await measured()).toMatchObject([{ network: 'icp:local', stopped: 0, transfers: 0, oldestSeconds: 0 }]);
  const intentId = await run.intent();
  await run.pay(intentId);
  const failing: IcrcStore = {
    ...run.icrc,
    apply: async () => {
      throw new Error('no');
    },
  };
  await run.read(failing);
  run.later(30_000);
  const [waiting] = await measured();
  expect(waiting).toMatchObject({ stopped: 0, transfers: 1 });
  for (const seconds of [waiting?.lateSeconds, waiting?.oldestSeconds]) expect(seconds).toBeCloseTo(30, 0);
  run.sample.blocks.pop();
  await run.read();
  expect(await measured()).toMatchObject([{ stopped: 1, transfers: 0 }]);
});

test('a payout there has neither a fee nor a split, and its processor is its merchant', async () => {
  await begin();
  const change = (text: string) => pool.query(`update svc.payouts set ${text} where network = 'icp:local'`);
  for (const text of ['fee_bps = 1', `splits = '[{}]'`, `processor = 'other'`])
    await expect(change(text)).rejects.toThrow('payouts_icrc_check');
});

const rights = await createTestDatabase();
const settlement = await logInAs(rights.pool, rights.url, 'svc_settlement');
const api = await logInAs(rights.pool, rights.url, 'svc_api');

test('settlement’s login can do all of this, and the API’s can neither move a cursor nor keep a transfer', async () => {
  ({ pool } = rights);
  const run = await createIcrcWorld(pool, { login: settlement });
  const [found, notified] = [await run.intent(), await run.intent()];
  await run.pay(found);
  await run.read();
  expect(await run.notify(notified, await run.pay(notified))).toBe('applied');
  expect(await run.intentOf(found)).toBe('completed');
  for (const statement of [
    'update svc.icrc_cursors set next_index = 0',
    'select from svc.icrc_transfers',
    'delete from svc.icrc_transfers',
  ])
    await expect(api.query(statement)).rejects.toThrow('permission denied');
});
