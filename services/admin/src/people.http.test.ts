// People at the admin service: each role at each of its routes, and the API keys of their sessions. The service has the rights of
// svc_admin, the API those of svc_api.
import { randomBytes } from 'node:crypto';
import {
  authenticate,
  PERSON_ROLES,
  type PersonRole,
  SESSION_BEARER_PREFIX,
  type SessionKeyLevel,
  sessionKeyScopes,
  sessionKeyText,
} from '@svc-pay/core';
import { createApiStores, openDatabase } from '@svc-pay/postgres';
import { createLogin } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { operatorReport } from '@svc-pay/protocol/operator';
import { ADMIN_ROUTES, type AdminRouteName } from '@svc-pay/runtime/http/admin-routes';
import { PERSON_ACTIONS } from '@svc-pay/runtime/http/person-actions';
import { afterAll, describe, expect, test } from 'vitest';
import { createPeopleHarness, type Person, type Shop } from './testing/people-harness.ts';

const harness = await createPeopleHarness();
const { pool, database, pepper, logs, operatorKey, ask, newShop, signIn, callRoute, makeKey, auditOf } = harness;
const apiDatabase = openDatabase(await createLogin(pool, database.url, 'svc_api'), {
  applicationName: 'test',
  maxConnections: 2,
  statementTimeoutMs: 10_000,
  onConnectionLost: () => {},
});
afterAll(() => apiDatabase.close());

const MINUTE_MS = 60_000;
const NAMES = Object.keys(ADMIN_ROUTES) as AdminRouteName[];

const REFUSALS = ['operators_only', 'role_missing', 'check_needed', 'account_unknown', 'key_unknown'];
async function verdictOf(name: AdminRouteName, shop: Shop, bearer: string): Promise<string> {
  const { status, body } = await callRoute(name, shop, bearer);
  expect(status).not.toBe(400);
  const error = String(body['error']);
  return REFUSALS.includes(error) ? error : 'allowed';
}

describe.each(NAMES)('the route %s', (name) => {
  const rule = PERSON_ACTIONS[name];
  const ofKey = ADMIN_ROUTES[name].path.includes('{keyId}');

  test.each(PERSON_ROLES)('takes a session as the table says: %s', async (role) => {
    const [shop, other] = [await newShop(), await newShop()];
    const fresh = await signIn({ [shop.accountId]: role });
    const stale = await signIn({ [shop.accountId]: role }, { checkedMinutesAgo: 6 });
    const outsider = await signIn({ [other.accountId]: 'owner' });
    const may = rule?.roles.includes(role) === true;
    const refused = rule === undefined ? 'operators_only' : 'role_missing';
    const unknown = ofKey ? 'key_unknown' : 'account_unknown';
    expect(await verdictOf(name, shop, outsider.bearer)).toBe(rule === undefined ? 'operators_only' : unknown);
    expect(await verdictOf(name, shop, stale.bearer)).toBe(may ? (rule.fresh ? 'check_needed' : 'allowed') : refused);
    const before = await auditOf(fresh.personId);
    expect(await verdictOf(name, shop, fresh.bearer)).toBe(may ? 'allowed' : refused);
    if (!may) expect(await auditOf(fresh.personId)).toEqual(before);
  });
});

test('what a person changes is on record under the person', async () => {
  const shop = await newShop();
  const { bearer, personId } = await signIn({ [shop.accountId]: 'owner' });
  expect((await callRoute('createKey', shop, bearer)).status).toBe(200);
  expect(await auditOf(personId)).toEqual([{ action: 'key.created' }]);
});

test('a person lists the keys of no account but a named one', async () => {
  const shop = await newShop();
  const { bearer } = await signIn({ [shop.accountId]: 'owner' });
  expect(await ask('GET', '/admin/keys', bearer)).toMatchObject({ status: 404, body: { error: 'account_unknown' } });
});

test.each([
  ['ended', { ended_at: new Date(), end_reason: 'signed_out' }],
  ['expired', { expires_at: new Date(Date.now() - 1) }],
  ['idle', { last_seen_at: new Date(Date.now() - 121 * MINUTE_MS) }],
] as const)('a session that is %s opens nothing', async (_, change) => {
  const shop = await newShop();
  const { bearer } = await signIn({ [shop.accountId]: 'owner' }, { change });
  expect((await callRoute('getAccount', shop, bearer)).status).toBe(401);
  expect((await makeKey(bearer, shop, 'base')).status).toBe(401);
});

test('a session of a disabled person, a token that was replaced, and text that is none open nothing', async () => {
  const shop = await newShop();
  const disabled = await signIn({ [shop.accountId]: 'owner' });
  await pool.query('update svc.persons set disabled_at = now() where id = $1', [disabled.personId]);
  const replaced = await signIn({ [shop.accountId]: 'owner' });
  await pool.query(
    `update svc.console_sessions set previous_token_hash = token_hash, previous_until = now(), token_hash = $2 where id = $1`,
    [replaced.sessionId, randomBytes(32)],
  );
  for (const bearer of [disabled.bearer, replaced.bearer, `${SESSION_BEARER_PREFIX}x`, SESSION_BEARER_PREFIX])
    expect((await callRoute('getAccount', shop, bearer)).status).toBe(401);
});

async function textOf({ sessionId, token }: Person, accountId: string, level: SessionKeyLevel) {
  const { rows } = await pool.query(
    `select key_salt, check_id, rights_id from svc.console_sessions join svc.memberships using (person_id)
     where id = $1 and account_id = $2`,
    [sessionId, accountId],
  );
  const [{ key_salt: salt, check_id: checkId, rights_id: rightsId }] = rows as [
    { key_salt: Buffer; check_id: string; rights_id: string },
  ];
  return sessionKeyText(token, salt, { accountId, mode: 'test', level, checkId, rightsId });
}

/** As the API does, by its own role and without its cache. */
async function authenticated(text: string) {
  const clock = { nowMs: () => Date.now() };
  const { findKey } = createApiStores(apiDatabase, { clock, cacheMs: 0 });
  return authenticate({ clock, peppers: [pepper], findKey }, text);
}

describe('a session key', () => {
  test.each(PERSON_ROLES.flatMap((role) => (['base', 'fresh'] as const).map((level) => [role, level] as const)))(
    'of a %s, level %s, has the scopes of the role and is the text that the console derives',
    async (role, level) => {
      const shop = await newShop();
      const person = await signIn({ [shop.accountId]: role });
      const text = await textOf(person, shop.accountId, level);
      expect(await authenticated(text)).toMatchObject({ ok: false });
      const first = await makeKey(person.bearer, shop, level);
      expect(first.status).toBe(200);
      expect(JSON.stringify(first.body)).not.toContain(text.slice(8, -6));
      expect(await authenticated(text)).toMatchObject({
        ok: true,
        caller: { accountId: shop.accountId, mode: 'test', kind: 'secret', keyId: first.body['keyId'] },
        scopes: sessionKeyScopes(role, level),
      });
      // Asked again, also at once, it is the same key.
      const again = await Promise.all([1, 2, 3].map(() => makeKey(person.bearer, shop, level)));
      for (const one of again) expect(one.body['keyId']).toBe(first.body['keyId']);
      const { rows } = await pool.query('select count(*)::integer as count from svc.api_keys where session_id = $1', [
        person.sessionId,
      ]);
      expect(rows).toEqual([{ count: 1 }]);
      expect(logs.join('')).not.toContain(text.slice(8, -6));
      expect(logs.join('')).not.toContain(person.token);
    },
  );

  test('of level fresh needs a check, and ends with it', async () => {
    const shop = await newShop();
    const stale = await signIn({ [shop.accountId]: 'owner' }, { checkedMinutesAgo: 6 });
    expect(await makeKey(stale.bearer, shop, 'fresh')).toMatchObject({ status: 403, body: { error: 'check_needed' } });
    const young = await signIn({ [shop.accountId]: 'owner' }, { checkedMinutesAgo: 4 });
    const { body } = await makeKey(young.bearer, shop, 'fresh');
    expect(Number(body['expiresAtMs']) - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
  });

  test('is made for members alone, and for no operator', async () => {
    const [shop, other] = [await newShop(), await newShop()];
    const person = await signIn({ [other.accountId]: 'owner' });
    expect(await makeKey(person.bearer, shop, 'base')).toMatchObject({
      status: 404,
      body: { error: 'account_unknown' },
    });
    expect((await makeKey(operatorKey, shop, 'base')).status).toBe(401);
  });

  test.each([
    [
      'the session ends',
      "update svc.console_sessions set ended_at = now(), end_reason = 'ended' where id = $1",
      'session',
    ],
    ['the person is disabled', 'update svc.persons set disabled_at = now() where id = $1', 'person'],
    ['the membership ends', 'delete from svc.memberships where person_id = $1', 'person'],
  ] as const)('is refused by the API when %s, and is not made again', async (_, sql, of) => {
    const shop = await newShop();
    const person = await signIn({ [shop.accountId]: 'owner' });
    await makeKey(person.bearer, shop, 'base');
    const text = await textOf(person, shop.accountId, 'base');
    expect(await authenticated(text)).toMatchObject({ ok: true });
    await pool.query(sql, [of === 'session' ? person.sessionId : person.personId]);
    expect(await authenticated(text)).toMatchObject({ ok: false, code: 'key_invalid' });
    expect((await makeKey(person.bearer, shop, 'base')).status).not.toBe(200);
    expect(await authenticated(text)).toMatchObject({ ok: false });
  });

  test('of a role ends with the role, and the session has one of the new role at once, to and fro', async () => {
    const shop = await newShop();
    const person = await signIn({ [shop.accountId]: 'owner' });
    const former: string[] = [];
    for (const role of ['viewer', 'owner', 'support', 'owner'] as const) {
      await makeKey(person.bearer, shop, 'base');
      former.push(await textOf(person, shop.accountId, 'base'));
      await pool.query('update svc.memberships set role = $2 where person_id = $1', [person.personId, role]);
      for (const text of former) expect(await authenticated(text)).toMatchObject({ ok: false, code: 'key_invalid' });
      expect((await makeKey(person.bearer, shop, 'base')).status).toBe(200);
      const text = await textOf(person, shop.accountId, 'base');
      expect(await authenticated(text)).toMatchObject({ ok: true, scopes: sessionKeyScopes(role, 'base') });
      for (const one of former) expect(await authenticated(one)).toMatchObject({ ok: false });
    }
  });

  test('is in no list and no count, signs nothing, and no person revokes it', async () => {
    const shop = await newShop();
    const person = await signIn({ [shop.accountId]: 'owner' });
    const listed = async () => {
      const keys = (await callRoute('listKeys', shop, person.bearer)).body['keys'] as unknown[];
      const { account } = (await callRoute('getAccount', shop, person.bearer)).body as {
        account: { usableKeys: number };
      };
      return { keys: keys.length, usable: account.usableKeys };
    };
    const before = await listed();
    const { body } = await makeKey(person.bearer, shop, 'base');
    const keyId = String(body['keyId']);
    expect(await listed()).toEqual(before);
    for (const name of ['revokeKey', 'signWithKey'] as const)
      expect(await callRoute(name, { ...shop, keyId }, person.bearer)).toMatchObject({
        body: { error: 'key_unknown' },
      });
    expect(await callRoute('signWithKey', { ...shop, keyId }, operatorKey)).toMatchObject({
      body: { error: 'key_has_scopes' },
    });
  });

  test('names its person in the audit record of the API, whatever the writer says', async () => {
    const [shop, other] = [await newShop(), await newShop()];
    const person = await signIn({ [shop.accountId]: 'owner' });
    const innocent = await signIn({ [shop.accountId]: 'owner' });
    const { body } = await makeKey(person.bearer, shop, 'base');
    const keyId = String(body['keyId']);
    const write = async (accountId: string, actor: string) => {
      const id = newId('audit', Date.now());
      await apiDatabase.pool.query(
        `insert into svc.audit (account_id, mode, id, actor, action, target, detail, created_at)
         values ($1, 'test', $2, $3, 'intent.canceled', 'x', '{}', now())`,
        [accountId, id, actor],
      );
      return (await pool.query('select actor from svc.audit where id = $1', [id])).rows[0].actor;
    };
    const named = `key:${keyId}/person:${person.personId}`;
    expect(await write(shop.accountId, `key:${keyId}`)).toBe(named);
    expect(await write(shop.accountId, `key:${keyId}/person:${innocent.personId}`)).toBe(named);
    expect(await write(shop.accountId, `key:${shop.keyId}/person:${innocent.personId}`)).toBe(`key:${shop.keyId}`);
    // A key of another account names nobody there.
    expect(await write(other.accountId, `key:${keyId}/person:${person.personId}`)).toBe(`key:${keyId}`);
  });
});

describe('the operator’s page', () => {
  const seeing = async (members: Readonly<Record<string, PersonRole>>) => {
    const person = await signIn(members);
    await pool.query('update svc.persons set operator_view = true where id = $1', [person.personId]);
    return person;
  };
  const askFor = (bearer: string) => ask('GET', '/console/operator', bearer);

  test.each(PERSON_ROLES)('is refused to the %s of an account who may not see it, whatever the check', async (role) => {
    const shop = await newShop();
    const { bearer } = await signIn({ [shop.accountId]: role });
    expect(await askFor(bearer)).toMatchObject({ status: 403, body: { error: 'operator_view_missing' } });
  });

  test('is refused to nobody in particular, to the key of an operator, and to a session that has ended', async () => {
    const person = await seeing({});
    expect((await askFor(person.bearer)).status).toBe(200);
    await pool.query("update svc.console_sessions set ended_at = now(), end_reason = 'ended' where id = $1", [
      person.sessionId,
    ]);
    for (const bearer of [person.bearer, operatorKey, 'svc_session_x']) expect((await askFor(bearer)).status).toBe(401);
  });

  test('is closed again as soon as the person may not see it', async () => {
    const person = await seeing({});
    expect((await askFor(person.bearer)).status).toBe(200);
    await pool.query('update svc.persons set operator_view = false where id = $1', [person.personId]);
    expect((await askFor(person.bearer)).status).toBe(403);
  });

  test('tells what the database holds, by the rights of the admin service alone, and names no account', async () => {
    const { accountId } = await newShop();
    const { bearer } = await seeing({ [accountId]: 'viewer' });
    const [network, relayer] = ['eip155:8453', `0x${'a1'.repeat(20)}`];
    await pool.query(
      `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at, balance, checked_at, gas_counted_from)
       values ($1, $2, 'live', 0, 'active', now(), 30, now(), now() - interval '30 days')`,
      [network, relayer],
    );
    await pool.query(
      `insert into svc.gas_paid (network, relayer, slot, amount) values
         ($1, $2, now() - interval '1 day', 20), ($1, $2, now() - interval '6 days', 50),
         ($1, $2, now() - interval '7 days 1 minute', 1000)`,
      [network, relayer],
    );
    await pool.query(
      `insert into svc.node_readings (network, endpoint, answered, other_chain, took_ms, head, head_time, final_head,
         final_time, answered_at, read_at)
       values ($1, 1, true, false, 30, 1000, now(), 990, now() - interval '20 seconds', now(), now()),
         ($1, 2, false, false, 5000, null, null, null, null, null, now())`,
      [network],
    );
    await pool.query(
      `insert into svc.ledger_checks (started_at, networks, books_at, ended_at, uncompared, looked, differing)
       values (now() - interval '2 hours', array[$1], now(), now() - interval '1 hour', '{}', 120, 3)`,
      [network],
    );
    await pool.query('insert into svc.ledger_checks (started_at, networks) values (now(), array[$1])', [network]);
    const { body } = await askFor(bearer);
    const report = operatorReport.parse(body);
    expect(report.networks.find((one) => one.network === network)).toMatchObject({
      head: '1000',
      finality: { blocks: '10', seconds: 20 },
      nodes: [{ state: 'fine' }, { state: 'silent' }],
    });
    expect(report.lanes.find((one) => one.relayer === relayer)).toMatchObject({
      balance: '30',
      coin: { symbol: 'ETH', decimals: 18 },
      float: { kind: 'days', days: 3, perDay: '10' },
    });
    expect(report.ledgerCheck).toMatchObject({
      last: { differing: 3, looked: 120, old: false },
      open: { endedAt: null },
    });
    expect(JSON.stringify(body)).not.toContain(accountId);
  });
});
