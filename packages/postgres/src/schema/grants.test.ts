import { expect, test } from 'vitest';
import { readRoleRights } from '../database/role-rights.ts';
import { createTestDatabase } from '../testing/index.ts';
import { rightsPage } from '../testing/rights-page.ts';
import { insertRow, insertRows, type SampleTable } from '../testing/sample-rows.ts';

const { pool } = await createTestDatabase();
await insertRow(pool, 'accounts');
await insertRow(pool, 'account_modes');
await insertRow(pool, 'relayers');

/** Runs `work` as a member of `role`, and rolls back. */
async function as(role: string, work: (query: (sql: string) => Promise<unknown>) => Promise<unknown>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local role ${role}`);
    await work((sql) => client.query(sql));
    // Deferred checks run under the role as well.
    await client.query('set constraints all immediate');
  } finally {
    await client.query('rollback');
    client.release();
  }
}
const denied = { code: '42501' };

async function inserts(role: string, tables: readonly SampleTable[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local role ${role}`);
    for (const table of tables) {
      if (table === 'ledger_entries') await insertRows(client, table, [{}, { id: 'lg_2', amount: '1000000' }]);
      else await insertRow(client, table);
    }
    await client.query('set constraints all immediate');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('the API records an intent with everything around it', () =>
  inserts('svc_api', [
    ...(['intents', 'intent_codes', 'acceptances', 'events', 'endpoints', 'deliveries', 'claims'] as const),
    ...(['authorizations', 'payments', 'settlements', 'attempts', 'idempotency', 'audit'] as const),
    'event_replays',
  ]));

test('settlement records a batch with everything around it', () =>
  inserts('svc_settlement', [
    ...(['payments', 'settlements', 'batches', 'batch_transactions', 'ledger_entries', 'events'] as const),
    'gas_losses',
  ]));

test('webhooks records an attempt', () => inserts('svc_webhooks', ['deliveries', 'delivery_attempts']));

test.each([
  ['svc_api', 'insert into svc.batches (id) values (null)'],
  ['svc_api', 'insert into svc.batch_transactions (network) values (null)'],
  ['svc_api', 'update svc.settlements set status = null'],
  ['svc_api', 'insert into svc.ledger_entries (id) values (null)'],
  ['svc_api', 'select * from svc.relayers'],
  ['svc_api', 'update svc.api_keys set ciphertext = null'],
  ['svc_api', 'update svc.events set body = null'],
  ['svc_api', 'delete from svc.payments'],
  ['svc_api', "select svc.detach_expired_partition('events_2020_01')"],
  ['svc_webhooks', "select svc.drop_retired_partition('events_2020_01', 0, null)"],
  ['svc_settlement', 'update svc.partitioned_tables set months_kept = 1'],
  ['svc_settlement', 'delete from svc.retired_partitions'],
  ['svc_api', 'select svc.skip_used_intent_codes()'],
  // Where money goes is written by an operator alone.
  ['svc_api', 'insert into svc.payouts (payout_id) values (1)'],
  ['svc_api', 'update svc.payouts set activation = null'],
  ['svc_api', "update svc.payouts set status = 'active'"],
  ['svc_api', 'delete from svc.payouts'],
  ['svc_api', 'update svc.installation set id = gen_random_uuid()'],
  ['svc_settlement', 'insert into svc.payouts (payout_id) values (1)'],
  ['svc_settlement', 'update svc.payouts set activation = null'],
  ['svc_settlement', 'update svc.payouts set processor = null'],
  ['svc_settlement', 'update svc.payouts set active_from = now()'],
  ['svc_settlement', 'delete from svc.payouts'],
  ['svc_settlement', 'update svc.installation set id = gen_random_uuid()'],
  ['svc_webhooks', 'select * from svc.payouts'],
  ['svc_settlement', 'select ciphertext from svc.api_keys'],
  ['svc_settlement', 'select secret_ciphertext from svc.endpoints'],
  ['svc_settlement', 'update svc.ledger_entry_rows set amount = 1'],
  ['svc_settlement', 'insert into svc.ledger_entry_rows (id) values (null)'],
  ['svc_settlement', 'update svc.ledger_bookings set position = 1'],
  ['svc_settlement', 'insert into svc.ledger_bookings (position) values (1)'],
  ['svc_settlement', 'delete from svc.ledger_bookings'],
  ['svc_settlement', 'update svc.gas_losses set amount = 1'],
  ['svc_api', 'insert into svc.gas_losses (id) values (null)'],
  ['svc_api', 'insert into svc.proven_wallets (payer) values (null)'],
  ['svc_api', 'delete from svc.gas_budget_uses'],
  ['svc_api', 'update svc.gas_budgets set payer_day = 0'],
  ['svc_settlement', 'delete from svc.claims'],
  ['svc_settlement', 'update svc.audit set actor = null'],
  ['svc_settlement', 'create table svc.mine (n integer)'],
  ['svc_settlement', 'select response_body from svc.idempotency'],
  ['svc_settlement', 'update svc.idempotency set created_at = now()'],
  ['svc_settlement', 'delete from svc.intents'],
  ['svc_settlement', 'insert into svc.intents (id) values (null)'],
  ['svc_settlement', 'insert into svc.late_terms (intent_code) values (1)'],
  ['svc_settlement', 'update svc.late_terms set expires_at = now()'],
  ['svc_settlement', 'delete from svc.late_terms'],
  ['svc_api', "select svc.remove_unpaid_intents('{}', '{}', '{}', now())"],
  ['svc_webhooks', 'select * from svc.intents'],
  ['svc_webhooks', 'select * from svc.payments'],
  ['svc_webhooks', 'select lookup from svc.api_keys'],
  ['svc_webhooks', 'update svc.endpoints set url = null'],
  ['svc_webhooks', 'update svc.events set body = null'],
  ['svc_webhooks', 'update svc.endpoints set secret_ciphertext = null'],
  ['svc_webhooks', 'select * from svc.relayers'],
  ['svc_api', 'update svc.delivery_shards set awake = true'],
  ['svc_settlement', 'select * from svc.delivery_shards'],
  ['svc_settlement', 'select previous_secret_ciphertext from svc.endpoints'],
  ['svc_settlement', 'select * from svc.event_replays'],
  ['svc_api', 'update svc.event_replays set queued = 0'],
  ['svc_api', 'delete from svc.endpoints'],
  ['svc_api', "insert into svc.payouts (kind) values ('direct')"],
  ['svc_api', 'update svc.payouts set activation = null'],
  ['svc_api', 'insert into svc.log_proofs (network) values (null)'],
  ['svc_api', 'update svc.refused_authorizations set closed_at = now()'],
  ['svc_api', 'select * from svc.read_logs'],
  ['svc_api', 'update svc.reader_cursors set block_number = 0'],
  ['svc_settlement', 'delete from svc.reader_cursors'],
  ['svc_api', 'delete from svc.refused_authorizations'],
  ['svc_settlement', 'update svc.log_proofs set payment_id = null'],
  ['svc_webhooks', 'select * from svc.read_logs'],
  ['svc_webhooks', "insert into svc.event_replays (id) values ('rec')"],
  ['svc_webhooks', 'update svc.endpoints set previous_secret_ciphertext = null'],
  ['svc_webhooks', 'insert into svc.audit (id) values (null)'],
  ['svc_api', "insert into svc.denied (kind) values ('key')"],
  ['svc_api', 'delete from svc.denied'],
  ['svc_api', 'update svc.deny_list set version = 1'],
  ['svc_settlement', 'select * from svc.denied'],
  ['svc_webhooks', 'select * from svc.denied'],
  ['svc_settlement', 'select * from svc.abuse_counts'],
  ['svc_webhooks', 'select * from svc.abuse_counts'],
  // The admin service reads no stored key, makes no operator, and has no part in payments.
  ['svc_admin', 'select ciphertext from svc.api_keys'],
  ['svc_admin', 'select lookup from svc.api_keys'],
  ['svc_admin', 'update svc.api_keys set lookup = null'],
  ['svc_admin', 'update svc.api_keys set scopes = null'],
  ['svc_admin', 'delete from svc.api_keys'],
  ['svc_admin', "insert into svc.operators (id) values ('op_b')"],
  ['svc_admin', 'update svc.operators set lookup = null'],
  ['svc_admin', 'update svc.operators set disabled_at = null'],
  ['svc_admin', 'insert into svc.payouts (payout_id) values (1)'],
  ['svc_admin', 'update svc.payouts set merchant = null'],
  ['svc_admin', 'update svc.payouts set activation = null'],
  ['svc_admin', 'select amount from svc.intents'],
  ['svc_admin', 'update svc.account_modes set bound_terms = true'],
  ['svc_admin', 'select signature from svc.authorizations'],
  ['svc_admin', 'select * from svc.payments'],
  ['svc_admin', 'insert into svc.events (id) values (null)'],
  ['svc_admin', 'select * from svc.ledger_entries'],
  ['svc_admin', 'select * from svc.endpoints'],
  ['svc_admin', 'select * from svc.relayers'],
  ['svc_admin', 'select * from svc.audit'],
  ['svc_admin', 'update svc.audit set actor = null'],
  ['svc_admin', 'update svc.audit_heads set sequence = 0'],
  ['svc_admin', "update svc.audit_exports set heads = '[]'"],
  // The console has no part in keys, payments and events, and makes nobody an operator.
  ['svc_console', 'select hint from svc.api_keys'],
  ['svc_console', 'update svc.api_keys set revoked_at = null'],
  ['svc_console', 'delete from svc.api_keys'],
  ['svc_console', 'select * from svc.accounts'],
  ['svc_console', "update svc.accounts set status = 'closed'"],
  ['svc_console', 'select * from svc.payments'],
  ['svc_console', 'select * from svc.intents'],
  ['svc_console', 'select * from svc.payouts'],
  ['svc_console', 'select * from svc.endpoints'],
  ['svc_console', 'select * from svc.audit'],
  ['svc_console', 'select * from svc.operators'],
  ['svc_console', 'select * from svc.quota_buckets'],
  ['svc_console', 'update svc.persons set operator_view = true'],
  ['svc_console', 'update svc.persons set disabled_at = null'],
  ['svc_console', 'update svc.passkeys set public_key = null'],
  ['svc_console', 'update svc.passkeys set person_id = null'],
  ['svc_console', 'update svc.console_sessions set person_id = null'],
  ['svc_console', 'update svc.console_sessions set expires_at = now()'],
  ['svc_console', 'update svc.invitations set role = null'],
  ['svc_console', 'delete from svc.persons'],
  ['svc_console', 'delete from svc.passkeys'],
  ['svc_console', 'delete from svc.console_sessions'],
  ['svc_admin', 'insert into svc.memberships (person_id) values (null)'],
  ['svc_admin', 'update svc.console_sessions set verified_at = now()'],
  ['svc_admin', 'select * from svc.passkeys'],
  ['svc_api', 'select * from svc.console_sessions'],
  ['svc_api', 'select * from svc.operators'],
  ['svc_api', 'update svc.api_keys set scopes = null'],
  ['svc_settlement', 'select * from svc.operators'],
  ['svc_webhooks', 'select * from svc.operators'],
])('%s may not: %s', async (role, sql) => {
  await expect(as(role, (query) => query(sql))).rejects.toMatchObject(denied);
});

test.each([
  ['svc_api', 'select svc.next_intent_code()'],
  ['svc_settlement', "select svc.ensure_partitions(0, 1, '2050-01-01Z')"],
  ['svc_settlement', "select svc.remove_unpaid_intents('{}', '{}', '{}', now())"],
  ['svc_settlement', 'update svc.relayers set epoch = epoch + 1'],
  ['svc_webhooks', 'select ciphertext from svc.api_keys where signing'],
  ['svc_webhooks', 'update svc.delivery_shards set epoch = epoch + 1'],
  ['svc_webhooks', 'select from svc.endpoints for no key update'],
  ['svc_webhooks', 'select from svc.event_replays for update skip locked'],
  ['svc_webhooks', 'update svc.endpoints set warned_at = now()'],
  ['svc_api', 'select from svc.endpoints for no key update'],
  ['svc_api', 'update svc.api_keys set last_used_at = now()'],
  ['svc_webhooks', 'select scopes from svc.api_keys'],
  ['svc_admin', "update svc.accounts set status = 'closed'"],
  ['svc_admin', 'select from svc.account_modes for no key update'],
])('%s may: %s', (role, sql) => as(role, (query) => query(sql)));

test('settlement changes the status of a processor’s payout and of no direct one; an operator does', async () => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const wallet = `0x${'ab'.repeat(20)}`;
    await insertRow(client, 'payouts');
    await insertRow(client, 'payouts', {
      payout_id: 2,
      kind: 'direct',
      processor: wallet,
      merchant: wallet,
      asset: `0x${'cd'.repeat(20)}`,
      fee_bps: 0,
      activation: {},
      active_from: new Date(),
    });
    const set = (status: string, kind: string) =>
      client.query('update svc.payouts set status = $1 where kind = $2', [status, kind]);
    await set('disabled', 'direct');
    await client.query('set local role svc_settlement');
    await set('disabled', 'processor');
    await client.query("update svc.payouts set announced_at = now() where kind = 'direct'");
    const refused = async (status: string, kind: string) => {
      await client.query('savepoint before');
      await expect(set(status, kind)).rejects.toMatchObject(denied);
      await client.query('rollback to before');
    };
    for (const status of ['active', 'pending', 'disabled']) await refused(status, 'direct');
    // The admin service ends a direct payout, brings none back, and changes no processor's.
    await client.query('set local role svc_admin');
    await set('disabled', 'direct');
    for (const status of ['active', 'pending']) await refused(status, 'direct');
    for (const status of ['active', 'pending', 'disabled']) await refused(status, 'processor');
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('the admin service writes audit entries under operators who are not disabled, and unsealed ones alone', async () => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await insertRow(client, 'operators');
    await insertRow(client, 'operators', { id: 'op_gone', email: 'gone@example.com', disabled_at: new Date() });
    await client.query('set local role svc_admin');
    const sealed = { sequence: 1, previous_hash: Buffer.alloc(32), hash: Buffer.alloc(32) };
    for (const change of [
      { actor: 'operator:eve' },
      { actor: 'operator:op_gone' },
      { actor: 'operator:op_a', ...sealed },
    ]) {
      await client.query('savepoint before');
      await expect(insertRow(client, 'audit', change)).rejects.toMatchObject(denied);
      await client.query('rollback to before');
    }
    await insertRow(client, 'audit', { actor: 'operator:op_a' });
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('the console and the admin service write audit entries under persons who are not disabled', async () => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await insertRow(client, 'persons');
    await insertRow(client, 'persons', { id: 'psn_gone', disabled_at: new Date() });
    for (const role of ['svc_console', 'svc_admin']) {
      await client.query(`set local role ${role}`);
      for (const actor of ['person:psn_eve', 'person:psn_gone', 'operator:op_a', 'key:key_a', 'service:api']) {
        await client.query('savepoint before');
        await expect(insertRow(client, 'audit', { actor }), `${role} ${actor}`).rejects.toMatchObject(denied);
        await client.query('rollback to before');
      }
      await insertRow(client, 'audit', { actor: 'person:psn_a', id: `aud_${role}` });
    }
    await client.query('set local role svc_console');
    await expect(insertRow(client, 'persons', { id: 'psn_b', operator_view: true })).rejects.toMatchObject(denied);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('a backup reads whole tables as a member of the owner, and stops with an error as a service', async () => {
  const { rows } = await pool.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relnamespace = 'svc'::regnamespace and relrowsecurity",
  );
  expect(rows.length).toBeGreaterThan(4);
  // As pg_dump does it.
  const dump = (role: string, table: string) =>
    as(role, async (query) => {
      await query('set local row_security = off');
      await query(`select * from ${table}`);
    });
  await pool.query('create role backup_of_test nologin in role svc_migrator');
  try {
    for (const { name } of rows) await dump('backup_of_test', name);
    for (const { name } of rows) await expect(dump('svc_settlement', name)).rejects.toMatchObject(denied);
  } finally {
    await pool.query('drop role backup_of_test');
  }
});

test('each role has the rights of the page, on each table', async () => {
  await expect(await rightsPage(pool)).toMatchFileSnapshot('../../../../docs/reference/rights.md');
});

test('the release carries the same rights for the doctor to compare with', async () => {
  const lines = await readRoleRights(pool);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../migrations/rights');
});

test.each(['update svc.ledger_entries set amount = 1', 'delete from svc.ledger_entries'])(
  'nobody may: %s',
  async (sql) => {
    for (const role of ['svc_settlement', 'svc_migrator'])
      await expect(as(role, (query) => query(sql))).rejects.toThrow(
        /cannot (update|delete from) view "ledger_entries"/,
      );
  },
);

test('nothing is open to everyone', async () => {
  const { rows } = await pool.query(`
    select proname as name from pg_proc
      where pronamespace = 'svc'::regnamespace and has_function_privilege('public', oid, 'execute')
    union all
    select relname from pg_class
      where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p', 'v')
        and has_table_privilege('public', oid, 'select, insert, update, delete, truncate')`);
  expect(rows).toEqual([]);
});

test('no process may delete or rewrite history', async () => {
  const { rows } = await pool.query(`
    select grantee, table_name, privilege_type from information_schema.role_table_grants
    where table_schema = 'svc' and grantee in ('svc_api', 'svc_settlement', 'svc_webhooks', 'svc_admin', 'svc_console')
      and privilege_type in ('DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES')
    order by grantee, table_name`);
  // Prepared transfers are useless after a minute, and solo payers after a day; read logs, transfers of token
  // ledgers and the reader's blocks are a queue. A log proof goes when a reorg removes its log, a refused authorization a month after it is closed. None of
  // these is history. Nor are quotas: a full one says nothing. What gas budgets count is over after a week, and a wallet is
  // proven by payments of the last year. A reading of a node says how it is now. A lease ends with its authorization, a reference
  // a week after its intent. A membership is a right of today, and the audit record has its history; a challenge is used
  // once. Abuse counts are for the operator of the day. An
  // authorization that is no longer listed as unsettled is looked at once more when it has expired.
  expect(rows).toEqual([
    { grantee: 'svc_api', table_name: 'abuse_counts', privilege_type: 'DELETE' },
    { grantee: 'svc_api', table_name: 'quota_buckets', privilege_type: 'DELETE' },
    { grantee: 'svc_api', table_name: 'quota_processes', privilege_type: 'DELETE' },
    { grantee: 'svc_api', table_name: 'quota_streams', privilege_type: 'DELETE' },
    { grantee: 'svc_console', table_name: 'memberships', privilege_type: 'DELETE' },
    { grantee: 'svc_console', table_name: 'sign_in_buckets', privilege_type: 'DELETE' },
    { grantee: 'svc_console', table_name: 'webauthn_challenges', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'gas_budget_uses', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'gas_paid', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'icrc_transfers', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'idempotency', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'log_proofs', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'node_readings', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'payment_references', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'prepared_transfers', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'proven_wallets', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'read_logs', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'reader_blocks', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'refused_authorizations', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'solo_payers', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'unsettled_authorizations', privilege_type: 'DELETE' },
    { grantee: 'svc_settlement', table_name: 'x402_leases', privilege_type: 'DELETE' },
  ]);
});
