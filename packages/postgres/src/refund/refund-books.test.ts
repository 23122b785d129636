import { checkBooks, createFindings, paymentRows, readExportPage, statementLines } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createExportStore } from '../export/export-store.ts';
import { withBooks } from '../ledger/open-books.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { logInAs } from '../testing/log-in-as.ts';
import { createRefundWorld, refundParties } from '../testing/refund-world.ts';
import { createRefundWatchStore } from './refund-watch-store.ts';

const { network, nowMs, relayer } = refundParties;

async function differencesIn(pool: pg.Pool): Promise<readonly string[]> {
  const findings = createFindings(null, ['entries', 'statuses'], 1_000);
  await withBooks(pool, (books) => checkBooks(books, findings));
  return findings.lines().flatMap(({ differences }) => differences.map(({ message }) => message));
}

/** A payment with a part refunded, one with the whole, one whose refund is open, and one whose refund failed. */
async function refundedWorld() {
  const database = await createTestDatabase();
  const world = createRefundWorld(database.pool);
  const { paid, submitted, watch, evidence } = world;
  const [part, whole, open, failed] = [await paid(), await paid(), await paid(), await paid()];
  const refund = await submitted(part, 300n);
  const gas = { relayer, costAtomic: 5n };
  expect(await watch.complete(refund, evidence(300n, { gas }), nowMs)).toBe('completed');
  expect(await watch.complete(await submitted(whole, 1_000n), evidence(1_000n), nowMs)).toBe('completed');
  await submitted(open, 10n);
  expect(await watch.fail(await submitted(failed, 10n), 'refund_expired', nowMs)).toBe(true);
  return { ...database, ...world, part, whole, open, refund };
}

test('books with refunds hold', async () => {
  const { pool } = await refundedWorld();
  expect(await differencesIn(pool)).toEqual([]);
});

test('books with a reported transfer from another wallet of the account hold', async () => {
  const { pool, url, store, owner, paid, evidence } = await refundedWorld();
  const settlement = await logInAs(pool, url, 'svc_settlement');
  const { wallet, payer: recipient } = refundParties;
  const reported = { transactionId: '0xby-hand', logIndex: null };
  const asked = { ...owner, id: newId('refund', nowMs), paymentId: await paid(), wallet, recipient, reason: null };
  const answer = await store.recordReported({ ...asked, reported, amountAtomic: null }, nowMs);
  if (!answer.ok) throw new Error(answer.code);
  const other = `0x${'b2'.repeat(20)}`;
  const shown = evidence(200n, { wallet: other });
  expect(await createRefundWatchStore(settlement).complete(answer.refund, shown, nowMs)).toBe('completed');
  expect(await store.load(owner, asked.id)).toMatchObject({ wallet: other, amountAtomic: 200n });
  expect(await differencesIn(pool)).toEqual([]);
});

test.each([
  [
    'an amount that a refund did not move',
    'update svc.refunds set amount = 301 where amount = 300',
    /no entry merchant/,
  ],
  ['a refund without a log proof', 'delete from svc.log_proofs where refund_id is not null', /no log proof/],
  [
    'a proof of a refund that is not there',
    "update svc.log_proofs set refund_id = 're_x' where refund_id is not null",
    /log proofs name/,
  ],
  [
    'another sum than the refunds have',
    'update svc.payments set refunded_amount = 400 where refunded_amount = 300',
    /400 was refunded/,
  ],
  [
    'a payment that gave all back and is completed',
    "update svc.payments set status = 'completed' where status = 'refunded'",
    /1000 of 1000/,
  ],
  [
    'a reservation that no refund has',
    'update svc.refund_totals set reserved = reserved + 1 where reserved > 0',
    /totals of refunds/,
  ],
  ['totals that are not there', 'delete from svc.refund_totals where reserved > 0', /totals of refunds/],
])('books with %s do not hold', async (_name, damage, expected) => {
  const { pool } = await refundedWorld();
  const client = await pool.connect();
  try {
    // Without triggers, as the owner of the database could.
    await client.query(`set session_replication_role = 'replica'`);
    expect((await client.query(damage)).rowCount).toBeGreaterThan(0);
  } finally {
    await client.query('reset session_replication_role');
    client.release();
  }
  expect((await differencesIn(pool)).join('\n')).toMatch(expected);
});

test('an export has a row for each refund, and a statement says what refunds gave back', async () => {
  const { owner, part, whole, ...database } = await refundedWorld();
  const store = createExportStore(database);
  expect(await store.allCommitted(20_000)).toBe(true);
  const page = await readExportPage(store, { ...owner, kind: 'payments', cursor: undefined, limit: 100 });
  if (!page.ok) throw new Error(page.reason);
  const rows = page.bookings.flatMap(paymentRows);
  expect(rows.filter(({ kind }) => kind === 'refunded')).toMatchObject([
    { paymentId: part, gross: '-300', net: '-300', reversal: false, gas: '0.000000000000000005' },
    { paymentId: whole, gross: '-1000', net: '-1000', fee: '0', refund: '0' },
  ]);
  const day = Date.UTC(2026, 10, 15);
  const sums = await store.sumDay({ ...owner, fromMs: day, toMs: day + 86_400_000, afterId: '' });
  if (!sums.ok) throw new Error(sums.reason);
  expect(statementLines(sums.sums)).toMatchObject([
    { chain: network, payments: 4, reversals: 0, refunds: 2, refunded: '1300', net: '2700', gross: '4700' },
  ]);
});
