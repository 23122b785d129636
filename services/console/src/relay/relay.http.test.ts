import { PERSON_ROLES, readSessionToken, sessionKeyText, sessionTokenHash } from '@svc-pay/core';
import { createConsoleStores } from '@svc-pay/postgres/console-service';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createConsoleHarness } from '../testing/console-harness.ts';
import { API_OPERATIONS, type RelayedOperation } from './api-operations.ts';

const { pool, time, upstream, newAccount, newMember } = await createConsoleHarness();
const MINUTE = 60_000;
const account = await newAccount();
const members = new Map(
  await Promise.all(PERSON_ROLES.map(async (role) => [role, await newMember(account, role)] as const)),
);
const operations = Object.entries<RelayedOperation>(API_OPERATIONS);
type Member = Awaited<ReturnType<typeof newMember>>;
const call = (browser: Member, { method, path }: RelayedOperation, of = account) =>
  browser.send(
    method,
    `/accounts/${of}/test${path.replaceAll(/\{\w+\}/g, 'id_1')}`,
    method === 'GET' ? {} : { body: {} },
  );
/** The key of the session, as the console derives it. */
async function keyOf(browser: Member, level: 'base' | 'fresh') {
  const token = readSessionToken(browser.jar.cookie.split('=')[1] ?? '');
  const session = token && (await createConsoleStores({ pool }).findSession(sessionTokenHash(token)));
  if (token === undefined || session === undefined) throw new Error('no session');
  const { keySalt, checkId, memberships } = session;
  const rightsId = memberships.find(({ accountId }) => accountId === account)?.rightsId ?? '';
  return sessionKeyText(token, keySalt, { accountId: account, mode: 'test', level, checkId, rightsId });
}

test.each(operations.flatMap(([name, operation]) => PERSON_ROLES.map((role) => [name, role, operation] as const)))(
  '%s as %s is passed on if the table says so, with a key of the session',
  async (_, role, operation) => {
    const browser = members.get(role)!;
    if (operation.fresh) await browser.check();
    const before = upstream.received.length;
    const answer = await call(browser, operation);
    const passed = upstream.received.slice(before);
    if (!operation.roles.includes(role)) {
      expect([answer.body.error, passed]).toEqual(['role_missing', []]);
      return;
    }
    expect(answer.status).toBe(200);
    const key = await keyOf(browser, operation.fresh ? 'fresh' : 'base');
    const headers = { authorization: `Bearer ${key}`, 'x-account-id': account };
    expect(passed).toMatchObject([{ method: operation.method, headers }]);
    expect(passed[0]?.headers).not.toHaveProperty('cookie');
    if (!operation.fresh) return;
    time.nowMs += 5 * MINUTE;
    expect((await call(browser, operation)).body.error).toBe('check_needed');
    expect(upstream.received).toHaveLength(before + 1);
  },
);

test.each(operations)('%s of another account is not passed on', async (_, operation) => {
  const stranger = await newMember(await newAccount(), 'owner');
  const before = upstream.received.length;
  expect((await call(stranger, operation)).body.error).toBe('account_unknown');
  expect((await call(stranger, operation, newId('account', 0))).body.error).toBe('account_unknown');
  expect(upstream.received).toHaveLength(before);
});

test.each([
  '/test/sdk/public/payments/x402/settle',
  '/test/health',
  '/test/sdk/payments/../../metrics',
  '/test/sdk/payments/%2e%2e%2fmetrics',
  '/test//evil.example.com/sdk/payments',
  '/sandbox/sdk/payments',
  '/test/sdk/payments/',
  '/live/sdk/payments/a%2Fb',
])('%s is not passed on', async (path) => {
  const before = upstream.received.length;
  const answer = await members.get('owner')!.get(`/accounts/${account}${path}`);
  expect(answer.status).toBe(404);
  expect(upstream.received).toHaveLength(before);
});

test('a key that the API does not know is made by the admin service, once, and the call is repeated', async () => {
  const owner = members.get('owner')!;
  let known = false;
  upstream.behaviour.answer = ({ url }) => {
    if (url === '/console/session-keys') known = true;
    return known ? { status: 200, body: '{"made":true}' } : { status: 401, body: '{"error":"key_invalid"}' };
  };
  const before = upstream.received.length;
  const answer = await owner.send('POST', `/accounts/${account}/live/sdk/events/evt_1/resend`, {
    body: { a: 1 },
    headers: { 'idempotency-key': 'once' },
  });
  expect(answer.body).toEqual({ made: true });
  const [first, row, second] = upstream.received.slice(before);
  expect(JSON.parse(row?.body ?? '')).toEqual({ accountId: account, mode: 'live', level: 'base' });
  expect(row?.headers['authorization']).toBe(`Bearer svc_session_${owner.jar.cookie.split('=')[1]}`);
  expect(second).toMatchObject({ url: first?.url, body: '{"a":1}', headers: { 'idempotency-key': 'once' } });
  upstream.behaviour.answer = ({ url }) =>
    url === '/console/session-keys' ? { status: 401, body: '{}' } : { status: 401, body: '{"error":"key_invalid"}' };
  expect((await owner.get(`/accounts/${account}/live/sdk/payments`)).body.error).toBe('session_over');
  upstream.behaviour.answer = ({ url }) =>
    url === '/console/session-keys' ? { status: 200, body: '{}' } : { status: 401, body: '{"error":"key_invalid"}' };
  expect((await owner.get(`/accounts/${account}/live/sdk/payments`)).body.error).toBe('upstream_unavailable');
});

test('a check that has ended for the admin service is asked for again, and the call is not made', async () => {
  const owner = members.get('owner')!;
  await owner.check();
  const refund = `/accounts/${account}/live/sdk/payments/pay_1/refunds`;
  upstream.behaviour.answer = ({ url }) =>
    url === '/console/session-keys'
      ? { status: 403, body: '{"error":"check_needed"}' }
      : { status: 401, body: '{"error":"key_invalid"}' };
  expect(await owner.send('POST', refund, { body: {} })).toMatchObject({
    status: 403,
    body: { error: 'check_needed' },
  });
  upstream.behaviour.answer = ({ url }) =>
    url === '/console/session-keys' ? { status: 500, body: 'no json' } : { status: 401, body: '{}' };
  expect((await owner.send('POST', refund, { body: {} })).body.error).toBe('upstream_unavailable');
});

test('what comes back is never a page, never a redirect, and sets no cookie', async () => {
  const owner = members.get('owner')!;
  upstream.behaviour.answer = () => ({
    status: 302,
    type: 'text/html',
    body: '{"html":true}',
    headers: { location: 'https://evil.example.com', 'set-cookie': 'a=b', 'access-control-allow-origin': '*' },
  });
  const { status, headers } = await owner.get(`/accounts/${account}/test/sdk/payments`);
  expect(status).toBe(302);
  expect(headers.get('content-type')).toBe('application/octet-stream');
  for (const name of ['location', 'set-cookie', 'access-control-allow-origin']) expect(headers.get(name)).toBeNull();
  expect(headers.get('content-security-policy')).toContain('sandbox');
});

test('the address of a payment link and the cursor of an export come back with their answers', async () => {
  const headers = {
    'x-svc-pay-url': 'https://pay.example.com/pay/pi_1?client_secret=secret',
    'x-svc-export-cursor': 'next',
    'x-svc-export-more': 'true',
    'idempotency-replayed': 'true',
    'retry-after': '3',
  };
  upstream.behaviour.answer = () => ({ status: 402, body: '{}', headers });
  const answer = await members.get('owner')!.get(`/accounts/${account}/test/sdk/exports/payments`);
  expect(answer.status).toBe(402);
  expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
});

test('routes of the admin service are passed on with the session, and no other path', async () => {
  const owner = members.get('owner')!;
  upstream.behaviour.answer = () => ({ status: 200, body: '{"keys":[]}' });
  const before = upstream.received.length;
  expect((await owner.get(`/admin/keys?accountId=${account}&mode=test`)).body).toEqual({ keys: [] });
  expect(upstream.received[before]).toMatchObject({
    url: `/admin/keys?accountId=${account}&mode=test`,
    headers: { authorization: `Bearer svc_session_${owner.jar.cookie.split('=')[1]}` },
  });
  expect((await owner.get('/admin/../console/session-keys')).status).toBe(404);
  expect((await owner.get('/admin/unheard-of')).status).toBe(404);
  expect(upstream.received).toHaveLength(before + 1);
});

test.each(PERSON_ROLES)(
  'the operator’s page is refused to the %s of an account, and nothing is asked',
  async (role) => {
    const before = upstream.received.length;
    const answer = await members.get(role)!.get('/operator');
    expect([answer.status, answer.body.error]).toEqual([403, 'operator_view_missing']);
    expect(upstream.received).toHaveLength(before);
  },
);

test('the operator’s page is passed on for a person who may see it, with the session and nothing of the query', async () => {
  const viewer = await newMember(await newAccount(), 'viewer');
  const token = readSessionToken(viewer.jar.cookie.split('=')[1] ?? '');
  const session = token && (await createConsoleStores({ pool }).findSession(sessionTokenHash(token)));
  await pool.query('update svc.persons set operator_view = true where id = $1', [session?.personId]);
  upstream.behaviour.answer = () => ({ status: 200, body: '{"at":"now"}' });
  const before = upstream.received.length;
  expect((await viewer.get('/operator?path=../x')).body).toEqual({ at: 'now' });
  expect(upstream.received[before]).toMatchObject({
    method: 'GET',
    url: '/console/operator',
    headers: { authorization: `Bearer svc_session_${viewer.jar.cookie.split('=')[1]}` },
  });
});
