// Somebody has taken over the API: its database role and its settings, the pepper among them.
import { laneRound, newKey } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { findKey } from '../account/find-key.ts';
import { insertKey } from '../account/insert-key.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { createTestDatabase } from '../testing/index.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { logInAs } from '../testing/log-in-as.ts';
import { newAccount, newOperation, TEST_SECRETS } from '../testing/new-operation.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { insertRow, SAMPLES, type SampleTable } from '../testing/sample-rows.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';

const { pool, url } = await createTestDatabase();
const attacker = await logInAs(pool, url, 'svc_api');
const settlement = await logInAs(pool, url, 'svc_settlement');
const victim = await newAccount(newOperation(pool));
const lane = await createLaneWorld(pool);

const DENIED = { code: '42501' };
const LIVE = { account_id: victim.id, mode: 'live' };
const TEST = { account_id: victim.id, mode: 'test' };
const bodyOf = (type: string) => Buffer.from(`{"object":"event","type":"${type}"}`);
const COMPLETED = { type: 'payment.completed', body: bodyOf('payment.completed') };

const tries = (sql: string) => expect(attacker.query(sql), sql).rejects.toMatchObject(DENIED);
const writes = (table: SampleTable, change: object) => insertRow(attacker, table, { ...change });

describe('keys', () => {
  test('none can be made, although the pepper is known', async () => {
    const { record } = newKey(TEST_SECRETS, { accountId: victim.id, mode: 'live' }, 'secret', Date.now());
    const client = await attacker.connect();
    try {
      await expect(insertKey(client, newOperation(pool), record, false)).rejects.toMatchObject(DENIED);
    } finally {
      client.release();
    }
    expect(await findKey(pool, [record.index])).toBeUndefined();
  });

  test('a revoked one stays revoked, an expired one expired, and nothing else of a key can be changed', async () => {
    await pool.query('update svc.api_keys set revoked_at = now(), signing = false where account_id = $1', [victim.id]);
    for (const change of [
      'revoked_at = null',
      'expires_at = null',
      'signing = true',
      "kind = 'secret'",
      "lookup = sha256('mine')",
      "ciphertext = ''",
      "account_id = 'acct_mine'",
      "mode = 'live'",
    ])
      await tries(`update svc.api_keys set ${change}`);
    await tries('delete from svc.api_keys');
    const { rows } = await pool.query('select from svc.api_keys where account_id = $1 and revoked_at is null', [
      victim.id,
    ]);
    expect(rows).toEqual([]);
  });

  test('accounts, their settings and their tokens are as they were', async () => {
    for (const table of ['accounts', 'account_modes', 'account_tokens', 'operators', 'installation']) {
      await tries(`delete from svc.${table}`);
      await tries(`insert into svc.${table} default values`);
    }
    await tries("update svc.accounts set status = 'active'");
    await tries('update svc.account_modes set minimum_usd_micros = 0');
  });
});

describe('payouts', () => {
  test('none can be written', async () => {
    await tries('insert into svc.payouts (payout_id) values (1)');
    for (const column of ['merchant', 'fee_bps', 'splits', 'status', 'activation', 'processor', 'account_id'])
      await tries(`update svc.payouts set ${column} = ${column}`);
    await tries('delete from svc.payouts');
  });

  test('a payment that is queued through the payout of another account is not sent', async () => {
    const thief = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
    const { paymentId, network } = await queuePayment(pool, lane.caller);
    const owned = 'select payout_id from svc.payouts where account_id = $1 and network = $2';
    const [own] = (await pool.query(owned, [thief.accountId, network])).rows;
    // As if the attacker had claimed it so: a queued settlement can't be changed.
    await tries(`update svc.settlements set payout_id = ${own.payout_id}`);
    const redirect = 'update svc.settlements set payout_id = $1, retry_at = null where payment_id = $2';
    const [before] = (await pool.query('select payout_id from svc.settlements where payment_id = $1', [paymentId]))
      .rows;
    await pool.query(redirect, [own.payout_id, paymentId]);
    const honest = await queuePayment(pool, lane.caller);
    const lease = await lane.takeLease();
    for (let round = 0; round < 3; round += 1) {
      await laneRound(lane.deps, lease);
      lane.chain.mine();
    }
    expect([...lane.chain.settled.keys()]).toEqual([honest.paymentId]);
    await pool.query(redirect, [before.payout_id, paymentId]);
    await lane.settle();
    expect(lane.chain.settled.get(paymentId)).toBe(1);
  });
});

describe('payments', () => {
  test('none can be called completed, nor anything else that follows from the chain', async () => {
    const { paymentId, intentId } = await queuePayment(pool, lane.caller);
    for (const status of ['completed', 'failed', 'refunded', 'mismatched', 'canceled'])
      await tries(`update svc.payments set status = '${status}' where id = '${paymentId}'`);
    const unpaid = await createTestIntent(pool, lane.caller);
    for (const id of [intentId, unpaid])
      for (const status of ['completed', 'failed', 'mismatched'])
        await tries(`update svc.intents set status = '${status}' where id = '${id}'`);
    for (const status of ['requires_payment', 'canceled'])
      await tries(`update svc.intents set status = '${status}' where id = '${intentId}'`);
    await tries("update svc.settlements set status = 'completed'");
    await tries(`delete from svc.payments`);
    expect((await pool.query('select status from svc.payments where id = $1', [paymentId])).rows).toEqual([
      { status: 'pending' },
    ]);
  });

  test('none can be inserted as if it had ended, and no intent either', async () => {
    const ended = { ...LIVE, paid_amount: '1', completed_at: new Date() };
    await expect(writes('payments', { ...ended, status: 'completed' })).rejects.toMatchObject(DENIED);
    for (const status of ['refunded', 'mismatched', 'canceled'])
      await expect(writes('payments', { ...LIVE, status })).rejects.toMatchObject(DENIED);
    await expect(writes('payments', { ...LIVE, transaction_id: '0xaa' })).rejects.toMatchObject(DENIED);
    const paid = { ...LIVE, status: 'completed', payment_id: 'pay_x' };
    await expect(writes('intents', paid)).rejects.toMatchObject(DENIED);
    const settled = { ...LIVE, status: 'completed', foreign_transaction_id: '0xaa' };
    await expect(writes('settlements', settled)).rejects.toMatchObject(DENIED);
    await expect(writes('ledger_entries', LIVE)).rejects.toMatchObject(DENIED);
    await expect(writes('log_proofs' as SampleTable, LIVE)).rejects.toMatchObject(DENIED);
  });

  test('an intent that has ended is not opened again', async () => {
    const { intentId } = await queuePayment(pool, lane.caller);
    await lane.settle();
    expect((await pool.query('select status from svc.intents where id = $1', [intentId])).rows).toEqual([
      { status: 'completed' },
    ]);
    for (const status of ['requires_payment', 'processing', 'canceled'])
      await tries(`update svc.intents set status = '${status}' where id = '${intentId}'`);
  });
});

describe('events', () => {
  const unpaid = { intent_id: newId('paymentIntent', 0), payment_id: newId('payment', 0) };

  test('in live mode none of a payment can be written', async () => {
    await expect(writes('events', { ...LIVE, ...unpaid, ...COMPLETED })).rejects.toMatchObject(DENIED);
    await expect(writes('events', { ...LIVE, ...COMPLETED })).rejects.toMatchObject(DENIED);
    for (const type of ['payment.created', 'payment.updated', 'payment.failed', 'payment.refunded'])
      await expect(writes('events', { ...LIVE, ...unpaid, type, body: bodyOf(type) })).rejects.toMatchObject(DENIED);
  });

  test('none of an intent can be written that says something else', async () => {
    await expect(writes('events', { ...LIVE, body: COMPLETED.body })).rejects.toMatchObject(DENIED);
    await expect(writes('events', { ...LIVE, body: Buffer.from('{}') })).rejects.toMatchObject(DENIED);
    await writes('events', LIVE);
    await tries(`update svc.events set body = ''`);
  });

  test('in test mode none of a payment that exists, or of its intent; samples of neither are allowed', async () => {
    const queued = await queuePayment(pool, lane.caller);
    const own = { account_id: lane.caller.accountId, mode: 'test', ...COMPLETED };
    const real = { intent_id: queued.intentId, payment_id: queued.paymentId };
    for (const named of [real, { ...unpaid, intent_id: real.intent_id }, { ...unpaid, payment_id: real.payment_id }])
      await expect(writes('events', { ...own, ...named })).rejects.toMatchObject({ constraint: 'event_is_true' });
    await writes('events', { ...TEST, ...unpaid, ...COMPLETED });
  });
});

test('settlement announces a payment only as its row is', async () => {
  const { intentId, paymentId } = await queuePayment(pool, lane.caller);
  const own = { account_id: lane.caller.accountId, mode: 'test', intent_id: intentId, payment_id: paymentId };
  const announce = (change: object) => insertRow(settlement, 'events', { ...own, id: newId('event', 0), ...change });
  for (const type of ['payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'])
    await expect(announce({ type })).rejects.toMatchObject({ constraint: 'event_is_true' });
  await expect(announce({ ...COMPLETED, payment_id: null })).rejects.toMatchObject(DENIED);
  await announce({ type: 'payment.created' });
});

test('settlement announces no payment that completed as the payment of another intent', async () => {
  const [paid, unpaid] = [await queuePayment(pool, lane.caller), await createTestIntent(pool, lane.caller)];
  await lane.settle();
  const own = { account_id: lane.caller.accountId, mode: 'test', payment_id: paid.paymentId, ...COMPLETED };
  const announce = (intent: string) =>
    insertRow(settlement, 'events', { ...own, id: newId('event', 0), intent_id: intent });
  await expect(announce(unpaid)).rejects.toMatchObject({ constraint: 'event_is_true' });
  await announce(paid.intentId);
});

describe('the audit record', () => {
  test('cannot be read, changed, deleted or sealed', async () => {
    await insertRow(pool, 'audit', LIVE);
    await tries('select * from svc.audit');
    await tries("update svc.audit set actor = 'key:other'");
    await tries('update svc.audit set sequence = 1');
    await tries('delete from svc.audit');
    await tries('truncate svc.audit');
    await tries('delete from svc.audit_heads');
    await tries('drop trigger audit_append_only on svc.audit');
  });

  test('takes entries in the name of keys alone', async () => {
    const entry = { ...SAMPLES.audit, ...LIVE };
    for (const actor of ['operator:ada', 'service:settlement', 'ada'])
      await expect(writes('audit', { ...entry, actor, id: newId('audit', 0) })).rejects.toMatchObject(DENIED);
    const sealed = { sequence: 1, previous_hash: Buffer.alloc(32), hash: Buffer.alloc(32) };
    await expect(writes('audit', { ...entry, ...sealed, id: newId('audit', 0) })).rejects.toMatchObject(DENIED);
    await writes('audit', { ...entry, id: newId('audit', 0) });
  });
});

test('no way leads to more rights', async () => {
  for (const sql of [
    'set role svc_settlement',
    'set role svc_migrator',
    'set session_replication_role = replica',
    'alter table svc.events disable trigger all',
    'alter table svc.events disable row level security',
    'create table svc.mine (n integer)',
    'create policy mine on svc.events using (true)',
    'drop policy api_announces on svc.events',
    'grant svc_settlement to current_user',
    'select svc.skip_used_intent_codes()',
    'insert into svc.events_default select * from svc.events limit 0',
  ])
    await tries(sql);
});

test('functions of a schema of their own stand in for none that the triggers ask', async () => {
  const { intentId } = await queuePayment(pool, lane.caller);
  const client = await attacker.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select current_user as name');
    await pool.query(`create schema thief authorization ${rows[0]?.name}`);
    await client.query(`create function thief.has_table_privilege(text, text) returns boolean
      language sql as 'select true'`);
    await client.query('set search_path = thief, pg_catalog');
    const settled = `update svc.intents set status = 'completed' where id = '${intentId}'`;
    await expect(client.query(settled)).rejects.toMatchObject(DENIED);
  } finally {
    client.release(true);
    await pool.query('drop schema thief cascade');
  }
});

test('what a payer of the account does works as before', async () => {
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const { paymentId } = await queuePayment(attacker, caller);
  const { rows } = await attacker.query<{ id: Id<'payment'> }>('select id from svc.payments where id = $1', [
    paymentId,
  ]);
  expect(rows).toEqual([{ id: paymentId }]);
});
