// An account moves between two APIs, each with a database of its own: what the first one answered, the second one answers.
import { secretKeyContext } from '@svc-pay/core';
import { moveAccount } from '@svc-pay/postgres/operator';
import { seedModelPayments, type TestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { CREATE, call, EVENTS, intentPath } from '../testing/call.ts';
import { addKey, PEPPER, seedAccount } from '../testing/seed-account.ts';
import { BOX, startTestApi } from '../testing/start-test-api.ts';

type Pool = TestDatabase['pool'];

/** A secret key that the move can open, as the command makes them. */
async function addSealedKey(pool: Pool, accountId: string) {
  const key = await addKey(pool, accountId, 'secret', 'test');
  const { rows } = await pool.query<{ id: string }>(
    'select id from svc.api_keys where account_id = $1 order by id desc limit 1',
    [accountId],
  );
  const id = rows[0]?.id ?? '';
  await pool.query('update svc.api_keys set ciphertext = $2 where id = $1', [
    id,
    BOX.seal(key, secretKeyContext(accountId, id)),
  ]);
  return key;
}

test('the other cell answers every read byte for byte, and the one that the account left refuses its keys', async () => {
  const [first, second] = [await startTestApi(), await startTestApi()];
  const [here, there] = [first.database.pool, second.database.pool];
  const { rows: installation } = await here.query<{ id: string }>('select id from svc.installation');
  await there.query('update svc.installation set id = $1', [installation[0]?.id]);
  await there.query('delete from svc.api_keys');
  await addSealedKey(there, second.account.accountId);
  const { accountId } = await seedModelPayments(here);
  const key = await addSealedKey(here, accountId);
  const other = await seedAccount(here);
  await here.query("update svc.batches set status = 'finalized'");
  await here.query('update svc.authorizations set closed_at = now()');
  const created = await call(first, 'POST', CREATE, { key: other.keys.test.publishable, body: { usdAmount: 7 } });
  expect(created.statusCode).toBe(402);

  const ids = async (table: string) =>
    (await here.query<{ id: string }>(`select id from svc.${table} where account_id = $1 order by id`, [accountId]))
      .rows;
  const paths = [
    '/sdk/payments',
    '/sdk/payments?limit=5',
    '/sdk/payments?status=failed',
    '/sdk/payment-intents',
    '/sdk/attempts',
    EVENTS,
    ...(await ids('payments')).map(({ id }) => `/sdk/payments/${id}`),
    ...(await ids('intents')).map(({ id }) => `/sdk/payment-intents/${id}/timeline`),
    ...(await ids('payments')).map(({ id }) => `/sdk/payments/${id}/refunds`),
    ...(await ids('intents')).map(({ id }) => intentPath(id)),
    ...(await ids('events')).map(({ id }) => `${EVENTS}/${id}`),
  ];
  /** Without the id of the request and the time of the answer. */
  const answers = (api: typeof first) =>
    Promise.all(
      paths.map(async (path) => {
        const { statusCode, body } = await call(api, 'GET', path, { key, headers: { 'x-account-id': accountId } });
        return [path, statusCode, body.replace(/"asOf":"[^"]*"/, '').replace(/req_[0-9a-z]+/, '')];
      }),
    );
  const before = await answers(first);
  expect(before.filter(([, statusCode]) => statusCode === 200).length).toBeGreaterThan(80);

  const secrets = { peppers: [{ number: 1, bytes: PEPPER }] as const, box: BOX };
  const operation = { pool: here, nowMs: Date.now(), actor: 'operator:ada' };
  expect(await moveAccount(operation, { accountId, target: there, secrets })).toMatchObject({
    ok: true,
    changed: true,
  });

  expect(await answers(second)).toEqual(before);
  for (const [path] of before.slice(0, 3))
    expect((await call(first, 'GET', String(path), { key })).json()).toMatchObject({ error: 'account_moved' });
  expect((await call(first, 'POST', CREATE, { key, body: { usdAmount: 7 } })).statusCode).toBe(421);
  expect(
    (await call(first, 'POST', CREATE, { key: other.keys.test.publishable, body: { usdAmount: 7 } })).statusCode,
  ).toBe(402);
});

test('an account that moves is told so, by a key and by a client secret, and goes on after an abort', async () => {
  const api = await startTestApi();
  const { pool } = api.database;
  const { accountId, keys } = api.account;
  const created = await call(api, 'POST', CREATE, { key: keys.test.secret, body: { usdAmount: 7 } });
  const { paymentIntentId, clientSecret } = created.json() as { paymentIntentId: string; clientSecret: string };
  const asks = async () => [
    await call(api, 'POST', CREATE, { key: keys.test.secret, body: { usdAmount: 7 } }),
    await call(api, 'GET', intentPath(paymentIntentId), { key: clientSecret }),
  ];
  const usual = (await asks()).map(({ statusCode }) => statusCode);
  await pool.query("update svc.accounts set status = 'moving' where id = $1", [accountId]);
  for (const refused of await asks()) {
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.json()).toMatchObject({ error: 'account_moving', retryable: true });
  }
  await pool.query("update svc.accounts set status = 'active' where id = $1", [accountId]);
  expect((await asks()).map(({ statusCode }) => statusCode)).toEqual(usual);
});
