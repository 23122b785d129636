import { randomBytes } from 'node:crypto';
import { createMaintenanceStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createAnswerExpiry } from './maintenance-jobs.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
/** More than two pages. */
const OLD = 2_500;

test('idempotency keys older than 30 days are deleted, page after page, and no younger one', async () => {
  const { pool, url } = await createTestDatabase();
  const insert = (prefix: string, count: number, ageMs: number) =>
    pool.query(
      `insert into svc.idempotency (account_id, mode, key, request_hash, created_at)
       select 'acct_a', 'test', $1 || n, sha256($1::bytea), $3 from generate_series(1, $2::integer) n`,
      [prefix, count, new Date(NOW_MS - ageMs)],
    );
  await insert('old-', OLD, 31 * DAY_MS);
  await insert('pk over-', 1, 30 * DAY_MS + 1);
  await insert('edge-', 1, 30 * DAY_MS);
  await insert('pk young-', 2, DAY_MS);
  await insert('young-', 1, 0);

  const settlement = new pg.Pool({ connectionString: await asSettlement(pool, url), max: 2 });
  settlement.on('error', () => {});
  onTestFinished(() => settlement.end());
  await createAnswerExpiry(createMaintenanceStore(settlement), { nowMs: () => NOW_MS }).run();

  const { rows } = await pool.query<{ key: string }>('select key from svc.idempotency order by key');
  expect(rows.map(({ key }) => key)).toEqual(['edge-1', 'pk young-1', 'pk young-2', 'young-1']);
});

/** Creates a login with exactly the rights of the settlement service. */
async function asSettlement(pool: pg.Pool, url: string): Promise<string> {
  const [role, password] = [`settlement_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
  await pool.query(`create role ${role} login password '${password}' in role svc_settlement`);
  onTestFinished(() => pool.query(`drop role ${role}`).then(() => undefined));
  const own = new URL(url);
  own.username = role;
  own.password = password;
  return own.href;
}
