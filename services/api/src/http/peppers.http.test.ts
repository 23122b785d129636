import { randomBytes } from 'node:crypto';
import { clientSecretOf } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { addKey, PEPPER } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const NEXT = randomBytes(32);
const [oldText, nextText] = [`1:${PEPPER.toString('base64')}`, `2:${NEXT.toString('base64')}`];

test.each([
  ['the old pepper first', `${oldText},${nextText}`, true, true],
  ['the new pepper first', `${nextText},${oldText}`, true, true],
  ['the new pepper alone', nextText, false, true],
  ['the old pepper alone', PEPPER.toString('base64'), true, false],
])('%s: keys and client secrets of each pepper that is given are taken, and no others', async (...given) => {
  const [, peppers, takesOld, takesNext] = given;
  const { url, account, database } = await startTestApi({ SVC_KEY_PEPPER: peppers });
  const { accountId } = account;
  const keys = {
    old: account.keys.test.secret,
    next: await addKey(database.pool, accountId, 'secret', 'test', NEXT),
  };
  const ask = (path: string, key: string, body?: object) =>
    fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const lists = async (key: string) => (await ask('/sdk/payments', key)).status;
  expect([await lists(keys.old), await lists(keys.next)]).toEqual([takesOld ? 200 : 401, takesNext ? 200 : 401]);

  const made = await ask('/sdk/public/payments/intents/x402', takesNext ? keys.next : keys.old, {
    usdAmount: '1.5',
    tokenShortcode: 'basesepolia_usdc',
  });
  expect(made.status).toBe(402);
  const { paymentIntentId, clientSecret } = (await made.json()) as { paymentIntentId: string; clientSecret: string };
  const owner = { accountId: accountId as Id<'account'>, mode: 'test' } as const;
  const [ofOld, ofNext] = [PEPPER, NEXT].map((pepper) =>
    clientSecretOf(pepper, owner, paymentIntentId as Id<'paymentIntent'>),
  );
  expect(clientSecret).toBe(peppers.startsWith('2:') ? ofNext : ofOld);
  const pays = async (secret = '') => (await fetch(`${url}/pay/${paymentIntentId}?client_secret=${secret}`)).status;
  expect([await pays(ofOld), await pays(ofNext)]).toEqual([takesOld ? 402 : 404, takesNext ? 402 : 404]);
});
