import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BookedRows, bookSettled, createTestDatabase } from '@svc-pay/postgres/testing';
import type { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { runSvc, svcEnvironment } from '../testing/run-svc.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-export-'));
afterAll(() => rmSync(folder, { recursive: true }));
const DAY = '2026-11-10';
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const ACCOUNT = ['--account', 'acct_a', '--mode', 'test'];

async function books() {
  const { url, pool } = await createTestDatabase();
  const book = () => bookSettled(pool, { accountId: 'acct_a', nowMs: NOON });
  const environment = svcEnvironment(url);
  const svc = async (...argv: string[]) => {
    const { exitCode, stdout } = await runSvc(environment, ...argv, ...ACCOUNT, '--json');
    return { exitCode, answer: JSON.parse(stdout) };
  };
  return { book, svc };
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\r\n');

test('an export is a file; run again it appends what is new, and a torn end is written again', async () => {
  const { book, svc } = await books();
  const file = path.join(folder, 'payments.csv');
  const made = [await book(), await book()];
  const run = () => svc('export', 'payments', '--out', file);
  // What other tests have begun in the same server holds the watermark back.
  await expect.poll(async () => (await run(), linesOf(file).length), { timeout: 20_000 }).toBe(3);
  made.push(await book());
  // A kill between the page and its cursor leaves such an end.
  appendFileSync(file, 'pay_torn,pi_');
  await expect.poll(async () => (await run(), linesOf(file).length), { timeout: 20_000 }).toBe(4);
  expect(
    linesOf(file)
      .slice(1)
      .map((line) => line.split(',')[0]),
  ).toEqual(made.map(({ paymentId }) => paymentId));

  expect(await svc('export', 'ledger', '--out', file)).toMatchObject({
    exitCode: 1,
    answer: { error: 'other_export' },
  });
  truncateSync(file, 10);
  expect(await run()).toMatchObject({ exitCode: 1, answer: { error: 'file_shorter' } });
});

test('killed before its first page it goes on; a mark that can not be read is refused', async () => {
  const { book, svc } = await books();
  const file = path.join(folder, 'killed.csv');
  await book();
  const run = () => svc('export', 'payments', '--out', file);
  const start = JSON.stringify({ of: 'payments csv acct_a test', cursor: '-1::', bytes: 0 });
  // Killed before the file, and behind its head.
  for (const text of [undefined, 'paymentId,paymentInt']) {
    rmSync(file, { force: true });
    writeFileSync(`${file}.cursor`, start);
    if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
    await expect.poll(async () => (await run(), linesOf(file).length), { timeout: 20_000 }).toBe(2);
  }
  for (const name of [file, `${file}.cursor`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  const whole = readFileSync(file, 'utf8');
  for (const mark of ['', '{', 'null', start.replace('-1::', 'x'), start.replace('0}', '"0"}')]) {
    writeFileSync(`${file}.cursor`, mark);
    expect(await run(), mark).toMatchObject({ exitCode: 1, answer: { error: 'cursor_unreadable' } });
  }
  expect(readFileSync(file, 'utf8')).toBe(whole);
});

test('a file that is not an export of this command is not touched', async () => {
  const { svc } = await books();
  const file = path.join(folder, 'notes.csv');
  writeFileSync(file, 'mine');
  expect(await svc('export', 'ledger', '--out', file)).toMatchObject({ exitCode: 1, answer: { error: 'file_exists' } });
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

const [CLONES, METADATA_BYTES] = [3_000, 16 * 1_024];

/** Copies of a booked payment under ids of their own, each with as much metadata as a secret key may give. */
async function cloneBooked(pool: Pool, { paymentId, intentId }: BookedRows): Promise<void> {
  const clone = (table: string, key: string, id: string, changes: string) =>
    pool.query(
      `insert into svc.${table} select made.* from svc.${table} of_one cross join generate_series(1, $2::integer) n
       cross join lateral jsonb_populate_record(of_one, ${changes}) made where of_one.${key} = $1`,
      [id, CLONES],
    );
  const numbered = (id: string) => `left(${id}, 20) || lpad(n::text, 10, '0')`;
  const metadata = JSON.stringify({ text: 'x'.repeat(METADATA_BYTES - 11) });
  await pool.query('update svc.intents set metadata = $2 where id = $1', [intentId, metadata]);
  const payment = `'payment_id', ${numbered(`'${paymentId}'`)}`;
  const intent = numbered(`'${intentId}'`);
  await clone('intents', 'id', intentId, `jsonb_build_object('id', ${intent}, 'intent_code', 5000 + n, ${payment})`);
  await clone(
    'payments',
    'id',
    paymentId,
    `jsonb_build_object('id', ${numbered('of_one.id')}, 'intent_id', ${intent})`,
  );
  await clone(
    'ledger_entries',
    'payment_id',
    paymentId,
    `jsonb_build_object('id', left(of_one.id, 18) || lpad(n::text, 6, '0') || right(of_one.id, 5), ${payment})`,
  );
}

test('an export of 49 MB runs in a heap that can not hold it', { timeout: 120_000 }, async () => {
  const { url, pool } = await createTestDatabase();
  await cloneBooked(pool, await bookSettled(pool, { accountId: 'acct_a', nowMs: NOON }));
  await pool.query('analyze');
  const file = path.join(folder, 'large.jsonl');
  const environment = { ...svcEnvironment(url), NODE_OPTIONS: '--max-old-space-size=64' };
  const run = () => runSvc(environment, 'export', 'payments', '--format', 'jsonl', '--out', file, ...ACCOUNT);
  const exitCodes: number[] = [];
  const grown = async () => {
    exitCodes.push((await run()).exitCode);
    return statSync(file).size > CLONES * METADATA_BYTES;
  };
  // What other tests have begun in the same server holds the watermark back.
  await expect.poll(grown, { timeout: 90_000 }).toBe(true);
  expect(new Set(exitCodes)).toEqual(new Set([0]));
});

test('a statement has the sums of the day', async () => {
  const { book, svc } = await books();
  await book();
  await book();
  const { answer } = await svc('statement', '--day', DAY);
  expect(answer).toMatchObject({
    lines: [{ tokenShortcode: 'basesepolia_usdc', payments: 2, gross: '2', fee: '0.02', net: '1.98' }],
  });
  expect((await svc('statement', '--day', '2026-11-09')).answer).toMatchObject({ lines: [] });
  expect((await svc('statement', '--day', '2026-13-09')).exitCode).toBe(64);
});
