import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';

const { pool } = await createTestDatabase();
const next = async (count = 1) => {
  const { rows } = await pool.query<{ code: string }>(
    'select svc.next_intent_code()::text as code from generate_series(1, $1)',
    [count],
  );
  return rows.map(({ code }) => BigInt(code));
};
const epoch = async () => {
  const { rows } = await pool.query<{ epoch: number }>('select intent_code_prefix as epoch from svc.installation');
  return BigInt(rows[0]?.epoch ?? -1);
};

test('codes carry the epoch above 33 bits of count and fit a JSON number', async () => {
  const codes = await next(1000);
  expect(new Set(codes).size).toBe(1000);
  const high = await epoch();
  for (const code of codes) {
    expect(code >> 33n).toBe(high);
    expect(code < 2n ** 53n).toBe(true);
  }
});

test('the last code of the last epoch is the greatest safe integer, and nothing follows it', async () => {
  await pool.query('update svc.installation set intent_code_prefix = 1048575');
  await pool.query("select setval('svc.intent_code_counter', 8589934591, false)");
  expect(await next()).toEqual([BigInt(Number.MAX_SAFE_INTEGER)]);
  await expect(next()).rejects.toThrow(/reached maximum value/);
});

test('a new epoch counts from the start under other high bits', async () => {
  const before = await epoch();
  const drawn = new Set<bigint>();
  for (let draws = 0; draws < 20; draws += 1) {
    await pool.query('select svc.skip_used_intent_codes()');
    drawn.add(await epoch());
  }
  expect(drawn.size).toBeGreaterThan(15);
  expect([...drawn].some((value) => value !== before)).toBe(true);
  expect((await next()).map((code) => code & (2n ** 33n - 1n))).toEqual([0n]);
});

test('an installation is one row', async () => {
  await expect(
    pool.query('insert into svc.installation (intent_code_prefix, created_at) values (1, now())'),
  ).rejects.toMatchObject({ code: '23505' });
  await expect(
    pool.query('insert into svc.installation (only_row, intent_code_prefix, created_at) values (false, 1, now())'),
  ).rejects.toMatchObject({ code: '23514' });
});
