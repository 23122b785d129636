// Everything that an id can name belongs to one tenant. An owner of another account, with a fresh check, asks for each of them by
// every operation that takes an id: nothing is told of it, and no row of its tenant changes.
import { CREATE, call, ownObjects } from '@svc-pay/api/testing';
import { MODES, type Mode } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { CONSOLE_ROUTES, type ConsoleRouteName } from '../routes/console-routes.ts';
import { type PageRequest, RELAYED, startRealStack } from '../testing/real-stack.ts';

const stack = await startRealStack();
const { api, pool, newMember, invite, seedAccount, apiRequest, adminRequest, keyOf } = stack;
const [mine, theirs] = [await seedAccount(), await seedAccount()];
const owner = await newMember(mine.accountId, 'owner');
const victim = await newMember(theirs.accountId, 'owner');
const colleague = await newMember(theirs.accountId, 'viewer');
await invite(theirs.accountId, 'owner');

type Objects = Awaited<ReturnType<typeof ownObjects>>;
const objectsOf = async (account: typeof mine): Promise<Record<Mode, Objects>> => ({
  test: await ownObjects(api, account, 'test'),
  live: await ownObjects(api, account, 'live'),
});
const [ofMine, ofTheirs] = [await objectsOf(mine), await objectsOf(theirs)];
/** What a payment link shows to whoever has its secret, and to nobody else. */
const LINK = { usdAmount: '12.5', description: 'A blue bicycle', metadata: { reference: 'order-4711' } };
const LINK_HEADERS = { 'idempotency-key': 'a-link-for-the-bicycle' };
const linkOf = async ({ keys }: typeof mine, mode: Mode) => {
  const made = await call(api, 'POST', CREATE, { key: keys[mode].secret, body: LINK, headers: LINK_HEADERS });
  const { paymentIntentId: intentId, clientSecret } = made.json() as Record<string, string>;
  if (intentId === undefined || clientSecret === undefined) throw new Error(made.body);
  return { intentId, clientSecret };
};
const links = { test: await linkOf(theirs, 'test'), live: await linkOf(theirs, 'live') };
const one = async (sql: string, value: string) => String((await pool.query(sql, [value])).rows[0]?.id ?? '');
const named = {
  session: await one('select id from svc.console_sessions where person_id = $1', victim.personId),
  credential: victim.authenticator.credentialId(),
  invitation: await one('select id from svc.invitations where account_id = $1 and used_at is null', theirs.accountId),
  payout: await one(
    "select payout_id as id from svc.payouts where account_id = $1 and mode = 'test'",
    theirs.accountId,
  ),
  network: await one("select network as id from svc.payouts where account_id = $1 and mode = 'test'", theirs.accountId),
};

const setUpMs = Date.now();
type Row = Readonly<Record<string, unknown>>;
/** The API writes once a minute when keys were used: a use of the set-up may be written later, and is no change. A later use is one. */
function withoutSetUpUse({ last_used_at: usedAt, ...row }: Row): Row {
  return typeof usedAt === 'string' && Date.parse(usedAt) > setUpMs ? { ...row, usedAt } : row;
}

/** Of every table with rows of the tenant or its people. */
async function rowsOfTheirs(): Promise<Readonly<Record<string, readonly Row[]>>> {
  const { rows: tables } = await pool.query<{ name: string; column: string }>(
    `select class.relname as name, attribute.attname as column
     from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid
     where class.relnamespace = 'svc'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
       and (attribute.attname = 'account_id' or attribute.attname = 'person_id'
         or class.relname in ('accounts', 'persons') and attribute.attname = 'id')
     order by 1, 2`,
  );
  const found: Record<string, readonly Row[]> = {};
  for (const { name, column } of tables) {
    const { rows } = await pool.query<{ row: Row }>(
      `select to_jsonb(each) as row from svc.${name} each where ${column}::text = any ($1) order by each::text`,
      [[theirs.accountId, victim.personId, colleague.personId]],
    );
    found[`${name}.${column}`] = rows.map(({ row }) => (name === 'api_keys' ? withoutSetUpUse(row) : row));
  }
  return found;
}
const before = await rowsOfTheirs();

const secrets = [
  theirs.accountId,
  victim.personId,
  colleague.personId,
  ...MODES.flatMap((mode) => [...Object.values(ofTheirs[mode]), ...Object.values(links[mode])]),
  LINK.description,
  LINK.metadata.reference,
];
/** Asks, and looks at the tenant's rows afterwards. What was sent may come back; nothing else may. */
async function refusalOf({ method, path, body }: PageRequest): Promise<string> {
  const answer = await owner.send(method, path, body ? { body } : {});
  const sent = `${path} ${JSON.stringify(body)}`;
  for (const id of secrets.filter((each) => !sent.includes(each))) expect(answer.text).not.toContain(id);
  expect(await rowsOfTheirs()).toEqual(before);
  return `${answer.status} ${answer.body.error ?? answer.text}`;
}

test('the tenant has a row of every kind that is tried', () => {
  for (const table of [
    'intents',
    'payments',
    'refunds',
    'endpoints',
    'events',
    'deliveries',
    'event_replays',
    'api_keys',
    'payouts',
    'invitations',
    'memberships',
  ])
    expect(before[`${table}.account_id`] ?? [], table).not.toHaveLength(0);
  for (const table of ['passkeys', 'console_sessions']) expect(before[`${table}.person_id`], table).toHaveLength(2);
});

const taking = RELAYED.filter((name) => {
  const { path, body } = apiRequest(name, mine.accountId, 'test', ofTheirs.test);
  return Object.values(ofTheirs.test).some((id) => `${path} ${JSON.stringify(body)}`.includes(id));
});

test('most operations take an id', () => expect(taking.length).toBeGreaterThan(20));

for (const mode of MODES)
  test.each(taking)(`%s in ${mode} finds nothing of another tenant, and nothing of the other mode`, async (name) => {
    const other = mode === 'test' ? 'live' : 'test';
    for (const ids of [ofTheirs[mode], ofTheirs[other], ofMine[other]]) {
      const refusal = await refusalOf(apiRequest(name, mine.accountId, mode, ids));
      // A list that is asked for one of them is empty.
      expect(refusal).toMatch(/^(?:404|409|422) |^403 test_mode_only$|^200 .*(?:"(?:data|attempts|deliveries)":\[\])/);
    }
  });

const ofIntents = taking.filter((name) => {
  const { path, body } = apiRequest(name, mine.accountId, 'test', ofTheirs.test);
  return `${path} ${JSON.stringify(body)}`.includes(ofTheirs.test.intentId);
});

for (const mode of MODES)
  test.each(ofIntents)(`%s in ${mode} finds no payment link of another tenant`, async (name) => {
    const ids = { ...ofMine[mode], intentId: links[mode].intentId };
    const refusal = await refusalOf(apiRequest(name, mine.accountId, mode, ids));
    expect(refusal).toMatch(/^(?:404|409|422) |^200 .*(?:"(?:data|attempts|deliveries)":\[\])/);
  });

test.each(MODES)(
  'the request of a payment link, sent again by another tenant in %s, makes a link of its own',
  async (mode) => {
    const { method, path } = apiRequest('createX402Intent', mine.accountId, mode, ofMine[mode]);
    const made = await owner.send(method, path, { body: LINK, headers: LINK_HEADERS });
    expect(made.status).toBe(402);
    expect(made.headers.get('idempotency-replayed')).toBeNull();
    for (const id of Object.values(links[mode])) expect(made.text).not.toContain(id);
    expect(made.headers.get('x-svc-pay-url')).not.toContain(links[mode].clientSecret);
    expect(await rowsOfTheirs()).toEqual(before);
  },
);

const theirKey = await keyOf(theirs, 'test');
const ofPayout = { keyId: theirKey, network: named.network, payoutId: named.payout };
const ADMIN_TRIES: readonly (readonly [name: string, request: PageRequest, refusal: string])[] = [
  ['signWithKey', adminRequest('signWithKey', mine.accountId, 'test', { keyId: theirKey }), '404 key_unknown'],
  ['revokeKey', adminRequest('revokeKey', mine.accountId, 'test', { keyId: theirKey }), '404 key_unknown'],
  ['disablePayout', adminRequest('disablePayout', mine.accountId, 'test', ofPayout), '404 payout_unknown'],
  ...(
    [
      'getAccount',
      'listKeys',
      'listPayouts',
      'createKey',
      'rollKey',
      'setMismatch',
      'setPublishable',
      'disablePayout',
    ] as const
  ).map((name) => [name, adminRequest(name, theirs.accountId, 'test', ofPayout), '404 account_unknown'] as const),
];
test.each(ADMIN_TRIES)('the admin route %s finds nothing of another tenant', async (_, request, refusal) => {
  expect(await refusalOf(request)).toBe(refusal);
});

test.each([
  ['the query twice', `/admin/keys?accountId=${mine.accountId}&accountId=${theirs.accountId}`],
  ['the query twice, the other way', `/admin/keys?accountId=${theirs.accountId}&accountId=${mine.accountId}`],
  ['a list in the query', `/admin/keys?accountId[]=${mine.accountId}&accountId[]=${theirs.accountId}`],
  ['the path and the query', `/admin/accounts/${mine.accountId}?accountId=${theirs.accountId}`],
])('an account that is named by %s is no account', async (_, path) => {
  expect(await refusalOf({ method: 'GET', path })).toBe('400 malformed_request');
});

test('a body names no other account than its path', async () => {
  const { path, body } = adminRequest('setMismatch', mine.accountId, 'test', { keyId: '' });
  expect(await refusalOf({ method: 'POST', path, body: { ...body, accountId: theirs.accountId } })).toBe(
    '400 malformed_request',
  );
});

const OWN_ROUTES: readonly [ConsoleRouteName, object, string][] = [
  ['changeRole', { personId: colleague.personId, role: 'owner' }, '404 member_unknown'],
  ['removePerson', { personId: colleague.personId }, '404 member_unknown'],
  ['recoverPerson', { personId: colleague.personId }, '404 person_unknown'],
  ['revokeInvitation', { invitationId: named.invitation }, '404 not_found'],
  ['endSession', { sessionId: named.session }, '404 not_found'],
  ['renamePasskey', { credentialId: named.credential, name: 'Mine' }, '404 passkey_unknown'],
  ['revokePasskey', { credentialId: named.credential }, '404 passkey_unknown'],
];
test.each(OWN_ROUTES)('the route %s finds nobody of another tenant', async (name, body, refusal) => {
  const { method, path } = CONSOLE_ROUTES[name];
  expect(await refusalOf({ method, path: path.replace('{accountId}', mine.accountId), body })).toBe(refusal);
});

test('every route of the console that takes an id is tried', () => {
  const ids = ['personId', 'invitationId', 'sessionId', 'credentialId'];
  const takes = Object.entries(CONSOLE_ROUTES).filter(([, { input }]) => {
    const { shape } = input as unknown as { readonly shape: object };
    return ids.some((id) => id in shape);
  });
  expect(takes.map(([name]) => name).sort()).toEqual(OWN_ROUTES.map(([name]) => name).sort());
});

test('no key of the tenant was used: the API writes every use when it stops', async () => {
  await api.stop();
  expect(await rowsOfTheirs()).toEqual(before);
  const { rows } = await pool.query('select from svc.api_keys where account_id = $1 and last_used_at is not null', [
    theirs.accountId,
  ]);
  expect(rows).toHaveLength(4);
});
