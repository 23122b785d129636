// Each role at each action, with and without a fresh passkey check, in the own and in another account, in test and in live. What is
// expected is written here by hand and not taken from the tables that the services judge by.
import { nobodysIds } from '@svc-pay/api/testing';
import { MODES, type Mode, PERSON_ROLES, type PersonRole } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type { AdminRouteName } from '@svc-pay/runtime/http/admin-routes';
import { expect, test } from 'vitest';
import { CONSOLE_ROUTES } from '../routes/console-routes.ts';
import { ADMIN_NAMES, type PageRequest, RELAYED, type RelayedName, startRealStack } from '../testing/real-stack.ts';

// An owner does everything; a developer has no people and no payouts; support sees payments and refunds them, without keys; a viewer
// reads. Keys, payouts, refunds and people need a fresh check.
const SEEN = 'owner developer support viewer';
const REFUNDING = 'owner developer support + check';
const DEVELOPING = 'owner developer';
const KEYS = 'owner developer + check';
const OWNERS = 'owner + check';
const NOBODY = 'operators';

const API: Readonly<Record<RelayedName, string>> = {
  listIntents: SEEN,
  listAttempts: SEEN,
  listRefusedAttempts: SEEN,
  getTimeline: SEEN,
  getIntent: SEEN,
  listPayments: SEEN,
  getPayment: SEEN,
  listRefunds: SEEN,
  getRefund: SEEN,
  listTokens: SEEN,
  getOverview: SEEN,
  getStatement: SEEN,
  exportPayments: SEEN,
  exportLedger: SEEN,
  createRefund: REFUNDING,
  submitRefund: REFUNDING,
  cancelRefund: REFUNDING,
  createX402Intent: DEVELOPING,
  createRegularIntent: DEVELOPING,
  cancelIntent: DEVELOPING,
  acceptPayment: DEVELOPING,
  settleUpto: DEVELOPING,
  releaseUpto: DEVELOPING,
  listEndpoints: DEVELOPING,
  getEndpoint: DEVELOPING,
  listDeliveries: DEVELOPING,
  createEndpoint: DEVELOPING,
  updateEndpoint: DEVELOPING,
  enableEndpoint: DEVELOPING,
  disableEndpoint: DEVELOPING,
  deleteEndpoint: DEVELOPING,
  testEndpoint: DEVELOPING,
  rotateSecret: DEVELOPING,
  recoverEndpoint: DEVELOPING,
  getRecovery: DEVELOPING,
  listEvents: DEVELOPING,
  getEvent: DEVELOPING,
  resendEvent: DEVELOPING,
  triggerEvent: DEVELOPING,
};
const ADMIN: Readonly<Record<AdminRouteName, string>> = {
  getAccount: SEEN,
  listPayouts: SEEN,
  listKeys: DEVELOPING,
  setMismatch: DEVELOPING,
  setPublishable: KEYS,
  createKey: KEYS,
  rollKey: KEYS,
  signWithKey: KEYS,
  revokeKey: KEYS,
  disablePayout: OWNERS,
  createAccount: NOBODY,
  listAccounts: NOBODY,
  closeAccount: NOBODY,
  setLimits: NOBODY,
};
/** Routes of the console itself that are of an account. */
const PEOPLE: Readonly<Record<string, string>> = {
  listPeople: 'owner',
  invitePerson: OWNERS,
  revokeInvitation: OWNERS,
  changeRole: OWNERS,
  removePerson: OWNERS,
  recoverPerson: OWNERS,
};

const stack = await startRealStack();
const { pool, newMember, newStaleMember, seedAccount, apiRequest, adminRequest, keyOf, takenByApi } = stack;
const [mine, other] = [await seedAccount(), await seedAccount()];
type Member = Awaited<ReturnType<typeof newMember>>;
type Pair = { readonly fresh: Member; readonly stale: Member };
const pairOf = async (accountId: string, role: PersonRole): Promise<Pair> => ({
  fresh: await newMember(accountId, role),
  stale: await newStaleMember(accountId, role),
});
const members = new Map<PersonRole, Pair>();
for (const role of PERSON_ROLES) members.set(role, await pairOf(mine.accountId, role));
/** Was a member, and is one of nothing now. */
const former = await pairOf(mine.accountId, 'owner');
await pool.query('delete from svc.memberships where person_id = any ($1)', [
  [former.fresh.personId, former.stale.personId],
]);
const disabled = await newMember(mine.accountId, 'owner');
await pool.query('update svc.persons set disabled_at = now() where id = $1', [disabled.personId]);
const keyIds = new Map<string, string>();
for (const account of [mine, other])
  for (const mode of MODES) keyIds.set(`${account.accountId} ${mode}`, await keyOf(account, mode));

/** Codes by which a request is stopped for who asks. Whatever else is answered, the action was judged on its merits. */
const REFUSALS = new Set([
  'role_missing',
  'check_needed',
  'operators_only',
  'account_unknown',
  'key_unknown',
  'session_missing',
  'session_over',
  'origin_refused',
  'upstream_unavailable',
  'internal_error',
  'key_invalid',
  'key_missing',
  'key_scope_missing',
  'key_kind_not_allowed',
  'account_id_required',
  'account_mismatch',
  'malformed_request',
  'rate_limited',
]);
const verdictOf = async ({ send }: Member, { method, path, body }: PageRequest): Promise<string> => {
  const answer = await send(method, path, body ? { body } : {});
  const { error = 'allowed' } = answer.body;
  return REFUSALS.has(error) ? error : answer.status >= 500 ? `${answer.status} ${error}` : 'allowed';
};

function expected(rule: string, role: PersonRole, checked: boolean): string {
  if (rule === NOBODY) return 'operators_only';
  const [roles = '', check] = rule.split(' + ');
  if (!roles.split(' ').includes(role)) return 'role_missing';
  return check === undefined || checked ? 'allowed' : 'check_needed';
}

/** Every verdict of one action, by who asks, beside what is expected. */
async function compare(rule: string, requestIn: (accountId: string, mode: Mode) => PageRequest, unknown: string) {
  const cases: [who: string, verdict: Promise<string>, expected: string][] = [];
  for (const mode of MODES) {
    const [own, foreign] = [requestIn(mine.accountId, mode), requestIn(other.accountId, mode)];
    const outside = rule === NOBODY ? 'operators_only' : unknown;
    for (const [role, pair] of members)
      for (const checked of ['stale', 'fresh'] as const) {
        const who = `${role}, ${checked}, ${mode}`;
        cases.push([who, verdictOf(pair[checked], own), expected(rule, role, checked === 'fresh')]);
        cases.push([`${who}, another account`, verdictOf(pair[checked], foreign), outside]);
      }
    cases.push([`former member, ${mode}`, verdictOf(former.fresh, own), outside]);
    cases.push([`former member, stale, ${mode}`, verdictOf(former.stale, own), outside]);
    cases.push([`disabled, ${mode}`, verdictOf({ ...disabled }, own), 'session']);
  }
  const found = await Promise.all(cases.map(async ([who, verdict]) => `${who}: ${await verdict}`));
  // Without a session the cookie is cleared by the first answer.
  const seen = found.map((line) => line.replace(/session_(?:over|missing)$/, 'session'));
  expect(seen).toEqual(cases.map(([who, , verdict]) => `${who}: ${verdict}`));
  return cases.filter(([, , verdict]) => verdict === 'allowed').length;
}

test('what is expected is written for every action', () => {
  expect(Object.keys(API).sort()).toEqual([...RELAYED].sort());
  expect(Object.keys(ADMIN).sort()).toEqual([...ADMIN_NAMES].sort());
  const ofAccounts = Object.entries(CONSOLE_ROUTES).filter(([, { path }]) => path.includes('{accountId}'));
  expect(Object.keys(PEOPLE).sort()).toEqual(ofAccounts.map(([name]) => name).sort());
});

test.each(Object.entries(API) as [RelayedName, string][])('the operation %s is for: %s', async (name, rule) => {
  const before = { mine: takenByApi(mine.accountId).length, other: takenByApi(other.accountId).length };
  const ids = nobodysIds();
  const allowed = await compare(rule, (account, mode) => apiRequest(name, account, mode, ids), 'account_unknown');
  const taken = takenByApi(mine.accountId).slice(before.mine);
  // Each allowed request, and no other, has reached the API with a key of the account.
  expect(taken.map(({ mode }) => String(mode)).sort()).toEqual(
    MODES.flatMap((mode) => Array.from({ length: allowed / 2 }, () => mode)).sort(),
  );
  expect(takenByApi(other.accountId)).toHaveLength(before.other);
});

test.each(Object.entries(ADMIN) as [AdminRouteName, string][])('the admin route %s is for: %s', async (name, rule) => {
  const unknown = name === 'signWithKey' || name === 'revokeKey' ? 'key_unknown' : 'account_unknown';
  const requestIn = (account: string, mode: Mode) =>
    adminRequest(name, account, mode, { keyId: keyIds.get(`${account} ${mode}`) ?? '' });
  await compare(rule, requestIn, unknown);
});

const BODIES: Readonly<Record<string, object | undefined>> = {
  listPeople: undefined,
  invitePerson: { name: 'Grace', role: 'viewer' },
  revokeInvitation: { invitationId: newId('invitation', 0) },
  changeRole: { personId: newId('person', 0), role: 'viewer' },
  removePerson: { personId: newId('person', 0) },
  recoverPerson: { personId: newId('person', 0) },
};
test.each(Object.entries(PEOPLE))('the people route %s is for: %s', async (name, rule) => {
  const { method, path } = CONSOLE_ROUTES[name as keyof typeof CONSOLE_ROUTES];
  const body = BODIES[name];
  const requestIn = (account: string) => ({
    method,
    path: path.replace('{accountId}', account),
    ...(body && { body }),
  });
  await compare(rule, requestIn, 'account_unknown');
});
