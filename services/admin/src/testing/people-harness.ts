// People with sessions at the admin service, and accounts that an operator made.
import { randomBytes } from 'node:crypto';
import {
  newSessionToken,
  type PersonRole,
  SESSION_BEARER_PREFIX,
  type SessionKeyLevel,
  type SessionToken,
  sessionTokenHash,
} from '@svc-pay/core';
import { createOperator } from '@svc-pay/postgres/operator';
import { createTestDatabase, insertRow } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { ADMIN_ROUTES, type AdminRouteName } from '@svc-pay/runtime/http/admin-routes';
import { startTestAdmin } from './start-test-admin.ts';

export type Shop = { readonly accountId: string; readonly keyId: string };
export type Person = {
  readonly personId: string;
  readonly sessionId: string;
  readonly token: SessionToken;
  readonly bearer: string;
};
type SignInOptions = { readonly checkedMinutesAgo?: number; readonly change?: object };
type Body = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;

/** A body that each route takes, of an account or one of its keys. */
export const ADMIN_INPUTS: Readonly<Record<AdminRouteName, object>> = {
  createAccount: { name: 'Mine' },
  listAccounts: {},
  getAccount: {},
  closeAccount: {},
  setLimits: { mode: 'test', minimumUsdMicros: null },
  setPublishable: { mode: 'test', creates: true },
  setMismatch: { mode: 'test', toleranceBps: 1 },
  createKey: { mode: 'test', kind: 'publishable' },
  listKeys: {},
  rollKey: { mode: 'test', overlapMs: 0 },
  signWithKey: {},
  revokeKey: {},
  listPayouts: {},
  disablePayout: { network: 'eip155:84532', payoutId: '1' },
};
/** They list those of every account unless told which. */
const FILTERED: readonly AdminRouteName[] = ['listKeys', 'listPayouts'];

export async function createPeopleHarness() {
  const pepper = randomBytes(32);
  const database = await createTestDatabase();
  const { pool } = database;
  const admin = await startTestAdmin(database, pepper);
  const made = await createOperator(
    { pool, nowMs: Date.now(), actor: 'operator:shell' },
    { number: 1, bytes: pepper },
    { name: 'A platform', email: 'platform@example.com' },
  );
  if (!made.ok) throw new Error(made.code);
  const operatorKey = made.key;

  const ask = async (method: string, path: string, bearer: string, body?: object) => {
    const response = await fetch(`${admin.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const newShop = async (): Promise<Shop> => {
    const { body } = await ask('POST', '/admin/accounts', operatorKey, { name: 'A shop' });
    const keys = body['keys'] as { id: string; mode: string; kind: string }[];
    const key = keys.find(({ mode, kind }) => mode === 'test' && kind === 'publishable');
    return { accountId: (body['account'] as { id: string }).id, keyId: key?.id ?? '' };
  };
  const signIn = async (
    members: Readonly<Record<string, PersonRole>>,
    { checkedMinutesAgo = 0, change = {} }: SignInOptions = {},
  ): Promise<Person> => {
    const now = Date.now();
    const [personId, sessionId] = [newId('person', now), newId('consoleSession', now)];
    const token = newSessionToken(randomBytes);
    await insertRow(pool, 'persons', { id: personId });
    for (const [accountId, role] of Object.entries(members))
      await insertRow(pool, 'memberships', { account_id: accountId, person_id: personId, role });
    await insertRow(pool, 'console_sessions', {
      id: sessionId,
      person_id: personId,
      token_hash: sessionTokenHash(token),
      key_salt: randomBytes(32),
      rotated_at: new Date(now),
      created_at: new Date(now),
      last_seen_at: new Date(now),
      expires_at: new Date(now + 60 * MINUTE_MS),
      verified_at: new Date(now - checkedMinutesAgo * MINUTE_MS),
      check_id: newId('passkeyCheck', now),
      ...change,
    });
    return { personId, sessionId, token, bearer: `${SESSION_BEARER_PREFIX}${token}` };
  };
  const callRoute = (name: AdminRouteName, { accountId, keyId }: Shop, bearer: string) => {
    const { method, path } = ADMIN_ROUTES[name];
    const place = path.replace('{accountId}', accountId).replace('{keyId}', keyId);
    const query = FILTERED.includes(name) ? `?accountId=${accountId}` : '';
    return ask(method, `${place}${query}`, bearer, method === 'POST' ? ADMIN_INPUTS[name] : undefined);
  };
  const makeKey = (bearer: string, { accountId }: Pick<Shop, 'accountId'>, level: SessionKeyLevel, mode = 'test') =>
    ask('POST', '/console/session-keys', bearer, { accountId, mode, level });
  const auditOf = async (personId: string) =>
    (await pool.query('select action from svc.audit where actor = $1 order by created_at', [`person:${personId}`]))
      .rows as { readonly action: string }[];
  return { pool, database, pepper, logs: admin.logs, operatorKey, ask, newShop, signIn, callRoute, makeKey, auditOf };
}
