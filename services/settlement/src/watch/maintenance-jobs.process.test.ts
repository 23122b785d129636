import { createMaintenanceStore } from '@svc-pay/postgres/settlement-service';
import { createLogin, createTestDatabase } from '@svc-pay/postgres/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createAnswerExpiry, createUnpaidRemoval } from './maintenance-jobs.ts';

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

  const settlement = new pg.Pool({ connectionString: await createLogin(pool, url, 'svc_settlement'), max: 2 });
  settlement.on('error', () => {});
  onTestFinished(() => settlement.end());
  await createAnswerExpiry(createMaintenanceStore(settlement), { nowMs: () => NOW_MS }).run();

  const { rows } = await pool.query<{ key: string }>('select key from svc.idempotency order by key');
  expect(rows.map(({ key }) => key)).toEqual(['edge-1', 'pk young-1', 'pk young-2', 'young-1']);
});

test('intents that nobody paid leave after the days of the setting, by settlement’s own rights, page after page', async () => {
  const { pool, url } = await createTestDatabase();
  const insert = (first: number, count: number, ageMs: number, status: string) =>
    pool.query(
      `with made as (
         insert into svc.intents (account_id, mode, id, intent_code, status, x402_upto, amount, ledger_id, network,
           token_shortcode, expires_at, event_sequence, created_at, updated_at)
         select 'acct_a', 'test', svc.id_bound('pi', $3::timestamptz) || lpad(n::text, 16, '0'), n, $4, false, 1, '0x', 'eip155:1',
           'eth_usdc', $3, 1, $3, $3 from generate_series($1::integer, $1::integer + $2::integer - 1) n
         returning intent_code, account_id, mode, id
       )
       insert into svc.intent_codes (intent_code, account_id, mode, intent_id) select * from made`,
      [first, count, new Date(NOW_MS - ageMs), status],
    );
  await insert(1, 600, 33 * DAY_MS, 'requires_payment');
  await insert(1_001, 1_200, 32 * DAY_MS, 'canceled');
  await insert(3_001, 3, 29 * DAY_MS, 'canceled');
  // More than a page of intents that stay is in front of those that leave.
  await pool.query(`insert into svc.refused_authorizations (account_id, mode, intent_id, claim_key, network, asset, payer, recipient,
      payout_id, position, amount, valid_before, nonce, bound, unused_at_block, code, funded, created_at)
    select account_id, mode, id, sha256(id::bytea), network, '0x', '0x', '0x', 1, 0, 1, 1, '', true, 1, 'insufficient_funds', false, now()
    from svc.intents where intent_code between 1001 and 1600`);

  const settlement = new pg.Pool({ connectionString: await createLogin(pool, url, 'svc_settlement'), max: 2 });
  settlement.on('error', () => {});
  onTestFinished(() => settlement.end());
  await createUnpaidRemoval(createMaintenanceStore(settlement), { nowMs: () => NOW_MS }, 30).run();

  const { rows } = await pool.query(
    `select (select count(*)::integer from svc.intents where status = 'requires_payment') as open,
       (select count(*)::integer from svc.intents where intent_code between 1001 and 1600) as watched,
       (select count(*)::integer from svc.intents where intent_code between 1601 and 2999) as unpaid,
       (select count(*)::integer from svc.intents where intent_code > 3000) as young,
       (select count(*)::integer from svc.late_terms) as terms, (select count(*)::integer from svc.intent_codes) as codes`,
  );
  expect(rows).toEqual([{ open: 600, watched: 600, unpaid: 0, young: 3, terms: 600, codes: 1_803 }]);
});
