// What two API processes remember of an account ends within a tenth of a second when the account changes.
import { randomUUID } from 'node:crypto';
import { createAdminActions } from '@svc-pay/postgres/operator';
import { createLogin, createTestDatabase, insertRow } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { CREATE, intentPath } from '../testing/call.ts';
import { addKey, PEPPER, type SeededAccount, seedAccount } from '../testing/seed-account.ts';
import { startApiProcess } from '../testing/start-api-process.ts';
import { BOX, testEnvironment } from '../testing/start-test-api.ts';

const IN_EFFECT_MS = 100;
const LONG = { timeout: 90_000 };
const SITE = 'https://shop.example';
const TOKENS = '/sdk/public/tokens';
const REFUSED = '401 key_invalid';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Asked = readonly [key: string, path: string, body?: object];
type Token = { readonly tokenShortcode: string; readonly available: boolean; readonly minimumUsd?: string };

async function ask(url: string, [key, path, body]: Asked): Promise<string> {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, origin: SITE, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const said = (await answer.json()) as { readonly error?: string; readonly data?: readonly Token[] };
  const token = said.data?.find(({ tokenShortcode }) => tokenShortcode === 'basesepolia_usdc');
  const shown = path === TOKENS ? `${token?.available} ${token?.minimumUsd}` : said.error;
  return `${answer.status} ${shown}`;
}

async function startTwo() {
  const database = await createTestDatabase();
  const { pool } = database;
  const login = await createLogin(pool, database.url, 'svc_api');
  const environment = { ...testEnvironment(login), SVC_API_CACHE_MS: '60000' };
  const processes = await Promise.all([startApiProcess(environment), startApiProcess(environment)]);
  return {
    pool,
    actions: createAdminActions({ pool, nowMs: Date.now(), actor: 'operator:ada' }, { pepper: PEPPER, box: BOX }),
    /** What both processes answer. */
    askBoth: (asked: Asked) => Promise.all(processes.map(({ url }) => ask(url, asked))),
    /** Breaks connections of the processes: what is announced meanwhile is lost. */
    cutOff: (name: string) =>
      pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name like $1`,
        [name],
      ),
  };
}

type World = Awaited<ReturnType<typeof startTwo>>;
type Case = {
  /** Something that is there before the change: what is asked for, if not by a key of the account. */
  readonly prepare?: (world: World, account: SeededAccount) => Promise<Asked>;
  readonly ask: (account: SeededAccount) => Asked;
  readonly change: (world: World, account: SeededAccount, keyId: string) => Promise<unknown>;
  readonly to: string;
};

const ofTest = ({ accountId }: SeededAccount) => ({ accountId, mode: 'test' as const });
const read = ({ keys }: SeededAccount): Asked => [keys.test.secret, intentPath('pi_x')];
const create = ({ keys }: SeededAccount): Asked => [keys.test.publishable, CREATE, { usdAmount: 1 }];
const listTokens = ({ keys }: SeededAccount): Asked => [keys.test.publishable, TOKENS];
const REVOKED: Case = {
  ask: read,
  change: ({ actions }, _, keyId) => actions.revokeKey({ keyId, now: true }),
  to: REFUSED,
};

const CASES: Readonly<Record<string, Case>> = {
  'a revoked key': REVOKED,
  'a key that is rolled without an overlap': {
    ask: read,
    change: async ({ actions }, account, keyId) => {
      expect(await actions.signWithKey({ keyId })).toMatchObject({ ok: true });
      return actions.rollKey({ ...ofTest(account), overlapMs: 0 });
    },
    to: REFUSED,
  },
  'a key of a console session that ends': {
    ask: read,
    prepare: async ({ pool }, { accountId }) => {
      const expiresAt = new Date(Date.now() + 600_000);
      const rights = randomUUID();
      await insertRow(pool, 'persons');
      await insertRow(pool, 'console_sessions', { expires_at: expiresAt });
      await insertRow(pool, 'memberships', { account_id: accountId, rights_id: rights });
      const session = { session_id: 'cse_a', person_id: 'psn_a', session_level: 'base', session_rights: rights };
      const rest = { ciphertext: null, scopes: ['read'], expires_at: expiresAt };
      const key = await addKey(pool, accountId, 'secret', 'test', PEPPER, { ...session, ...rest });
      return [key, intentPath('pi_x')];
    },
    change: ({ pool }) => pool.query("update svc.console_sessions set ended_at = now(), end_reason = 'signed_out'"),
    to: REFUSED,
  },
  'a closed account': {
    ask: create,
    change: ({ actions }, { accountId }) => actions.closeAccount({ accountId, now: true }),
    to: REFUSED,
  },
  'other origins': {
    ask: create,
    change: ({ actions }, account) =>
      actions.setPublishable({ ...ofTest(account), origins: ['https://other.example'] }),
    to: '403 origin_not_allowed',
  },
  'a higher minimum': {
    ask: listTokens,
    change: ({ actions }, account) => actions.setLimits({ ...ofTest(account), minimumUsdMicros: '5000000' }),
    to: '200 true 5',
  },
  'payouts that are disabled': {
    ask: listTokens,
    change: ({ pool }, { accountId }) =>
      pool.query("update svc.payouts set status = 'disabled' where account_id = $1", [accountId]),
    to: '200 false null',
  },
  'tokens that are disabled': {
    ask: listTokens,
    change: ({ pool }, { accountId }) =>
      pool.query('delete from svc.account_tokens where account_id = $1', [accountId]),
    to: '200 undefined undefined',
  },
};

/** Has both processes remember an answer, changes the account, and returns what both answer 100 ms after the commit. */
async function answersAfter(world: World, each: Case, before?: () => Promise<unknown>) {
  const account = await seedAccount(world.pool);
  const { rows } = await world.pool.query<{ id: string }>(
    "select id from svc.api_keys where account_id = $1 and mode = 'test' and kind = 'secret'",
    [account.accountId],
  );
  const asked = (await each.prepare?.(world, account)) ?? each.ask(account);
  const [answer] = await world.askBoth(asked);
  for (let round = 0; round < 5; round += 1) expect(await world.askBoth(asked)).toEqual([answer, answer]);
  expect(answer).not.toBe(each.to);
  await before?.();
  await each.change(world, account, rows[0]?.id ?? '');
  const sinceMs = performance.now();
  // Requests go on, so that the processes have every reason to answer from memory.
  while (performance.now() - sinceMs < IN_EFFECT_MS / 2) await world.askBoth(asked).catch(() => []);
  await pause(Math.max(0, IN_EFFECT_MS - (performance.now() - sinceMs)));
  return world.askBoth(asked);
}

test('changes of keys and settings are in effect on two processes within 100 ms', LONG, async () => {
  const world = await startTwo();
  const after: Record<string, readonly string[]> = {};
  for (const [name, each] of Object.entries(CASES)) after[name] = await answersAfter(world, each);
  expect(after).toEqual(Object.fromEntries(Object.entries(CASES).map(([name, { to }]) => [name, [to, to]])));
});

test('a revoked key ends in time although notifications and connections are lost', LONG, async () => {
  const world = await startTwo();
  expect(await answersAfter(world, REVOKED, () => world.cutOff('svc-watch'))).toEqual([REFUSED, REFUSED]);
  // Whoever gets no connection at that moment gets no answer; nobody gets the answer of before.
  for (const answer of await answersAfter(world, REVOKED, () => world.cutOff('svc-%')))
    expect([REFUSED, '503 service_unavailable']).toContain(answer);
});

test('the processes do answer from memory: what no trigger announces, they do not see', LONG, async () => {
  const world = await startTwo();
  await world.cutOff('svc-%');
  await world.pool.query('alter table svc.api_keys disable trigger api_keys_settings');
  // A look that a busy machine holds up for half a second makes a process forget.
  const answers: (readonly string[])[] = [];
  while (answers.length < 4 && !answers.some((both) => both.every((answer) => answer === '404 not_found')))
    answers.push(await answersAfter(world, REVOKED));
  expect(answers.at(-1)).toEqual(['404 not_found', '404 not_found']);
});
