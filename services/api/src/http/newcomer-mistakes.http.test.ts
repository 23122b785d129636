// What goes wrong on the first day of an integration. Each answer says what to do: somebody who reads only `message` gets on.
import { errorBody } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { fieldNamesOf } from '../body/field-sentence.ts';
import { PATH_IDS } from '../openapi/texts/parameter-texts.ts';
import { refusesUnknownFields } from '../routes/route.ts';
import { ROUTES } from '../routes/route-table.ts';
import { type CallOptions, CREATE, call, ENDPOINTS, EVENTS, intentPath } from '../testing/call.ts';
import { addKey, PEPPER } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const { publishable, secret } = keys.test;

type Mistake = {
  readonly made: string;
  readonly request: readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, options?: CallOptions];
  readonly status: number;
  readonly error: string;
  readonly param?: string | null;
  /** What the sentence must name: the fix. */
  readonly names: readonly (string | RegExp)[];
};

const create = (body: object | string, key: string = publishable) => ['POST', CREATE, { key, body }] as const;
const hooks = { url: 'https://shop.example/hooks', eventTypes: ['payment.completed'] };

const MISTAKES: readonly Mistake[] = [
  {
    made: 'a live token with a test key',
    request: create({ usdAmount: 5, tokenShortcode: 'base_usdc' }),
    status: 422,
    error: 'token_unknown',
    param: 'tokenShortcode',
    names: ['base_usdc is a live token', 'this is a test key', 'basesepolia_usdc', 'a live key', '/sdk/public/tokens'],
  },
  {
    made: 'a mistyped token',
    request: create({ usdAmount: 5, tokenShortcode: 'base-sepolia-usdc' }),
    status: 422,
    error: 'token_unknown',
    param: 'tokenShortcode',
    names: ['did you mean basesepolia_usdc?'],
  },
  {
    made: 'a token that the account does not take',
    request: create({ usdAmount: 5, tokenShortcode: 'basesepolia_eurc' }),
    status: 422,
    error: 'token_not_enabled',
    param: 'tokenShortcode',
    names: ['basesepolia_eurc is not enabled', 'use basesepolia_usdc', 'operator'],
  },
  {
    made: 'a path that does not exist',
    request: ['POST', '/sdk/public/payment-intents/x402', { key: publishable, body: { usdAmount: 5 } }],
    status: 404,
    error: 'route_unknown',
    names: ['is no route', `did you mean POST ${CREATE}?`, '/reference'],
  },
  {
    made: 'a wrong method',
    request: ['PUT', ENDPOINTS, { key: secret, body: hooks }],
    status: 405,
    error: 'method_not_allowed',
    names: [/use (?:POST or GET|GET or POST)/],
  },
  {
    made: 'a publishable key where a secret one is needed',
    request: ['GET', EVENTS, { key: publishable }],
    status: 403,
    error: 'key_kind_not_allowed',
    names: ['secret key (sk_…)', 'from your server'],
  },
  {
    made: 'a key without Bearer',
    request: ['GET', EVENTS, { headers: { authorization: secret } }],
    status: 401,
    error: 'key_invalid',
    names: ['"Authorization: Bearer <key>"'],
  },
  {
    made: 'the key of the documentation’s example',
    request: ['GET', EVENTS, { key: 'sk_test_...' }],
    status: 401,
    error: 'key_invalid',
    names: ['your own API key'],
  },
  {
    made: 'a key in another header',
    request: ['GET', EVENTS, { headers: { 'x-api-key': secret } }],
    status: 401,
    error: 'key_missing',
    names: ['"Authorization: Bearer <key>"', 'x-api-key is not read'],
  },
  {
    made: 'dollars as smallest units',
    request: create({ amount: '12.50', tokenShortcode: 'basesepolia_usdc' }),
    status: 400,
    error: 'invalid_amount',
    param: 'amount',
    names: ['smallest unit', 'usdAmount'],
  },
  {
    made: 'smallest units as a number',
    request: create({ amount: 12_500_000, tokenShortcode: 'basesepolia_usdc' }),
    status: 400,
    error: 'malformed_request',
    param: 'amount',
    names: ['"amount" must be text'],
  },
  {
    made: 'an amount under another name',
    request: create({ usd_amount: 5, tokenShortcode: 'basesepolia_usdc' }),
    status: 422,
    error: 'amount_missing',
    names: ['Give usdAmount', 'no field "usd_amount"', 'did you mean usdAmount?'],
  },
  {
    made: 'a field of a webhook endpoint under another name',
    request: ['POST', ENDPOINTS, { key: secret, body: { ...hooks, events: ['payment.completed'] } }],
    status: 400,
    error: 'malformed_request',
    param: 'events',
    names: ['no field "events"', 'did you mean eventTypes?', 'url, eventTypes, retryCount, timeoutSeconds, headers'],
  },
  {
    made: 'an event type that does not exist',
    request: ['POST', ENDPOINTS, { key: secret, body: { ...hooks, eventTypes: ['payment.succeeded'] } }],
    status: 400,
    error: 'malformed_request',
    param: 'eventTypes',
    names: ['one of', 'payment.completed'],
  },
  {
    made: 'a filter under another name',
    request: ['GET', `${EVENTS}?intent=pi_1`, { key: secret }],
    status: 400,
    error: 'malformed_request',
    param: 'intent',
    names: ['no parameter "intent"', 'did you mean intentId?'],
  },
  {
    made: 'a form in place of JSON',
    request: [
      'POST',
      CREATE,
      {
        key: publishable,
        body: 'usdAmount=5',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    status: 415,
    error: 'unsupported_media_type',
    names: ['Content-Type: application/json'],
  },
  {
    made: 'JSON with single quotes',
    request: create("{'usdAmount': 5}"),
    status: 400,
    error: 'invalid_json',
    names: ['quotes'],
  },
  {
    made: 'the account of another key',
    request: ['GET', EVENTS, { key: secret, headers: { 'x-account-id': 'acct_other' } }],
    status: 403,
    error: 'account_mismatch',
    names: ['send the account of the key'],
  },
];

test.each(MISTAKES.map((mistake) => [mistake.made, mistake] as const))(
  '%s is answered by a sentence that names the fix',
  async (_, { request, status, error, param = null, names }) => {
    const response = await call(api, ...request);
    const body = errorBody.parse(response.json());
    expect({ status: response.statusCode, error: body.error, param: body.param }).toEqual({ status, error, param });
    for (const name of names) expect(body.message).toMatch(typeof name === 'string' ? literally(name) : name);
    expect(body.docUrl).toBe(`https://pay.example/reference/errors#${error}`);
  },
);

test('an intent that was made with a test key, asked for with a live one: the mode is named', async () => {
  const { paymentIntentId } = (await call(api, ...create({ usdAmount: 5 }))).json();
  const answer = await call(api, 'GET', intentPath(paymentIntentId), { key: keys.live.publishable });
  expect(answer.json()).toMatchObject({ error: 'not_found', message: expect.stringContaining('mode of the key') });
});

test('a page of an origin that is not on the list: the origin to add is named', async () => {
  await pool.query(`update svc.account_modes set publishable_origins = '{https://shop.example}' where mode = 'live'`);
  const key = await addKey(pool, accountId, 'publishable', 'live', PEPPER);
  const answer = await call(api, 'GET', '/sdk/public/tokens', { key, headers: { origin: 'https://new.example' } });
  expect(answer.json()).toMatchObject({
    error: 'origin_not_allowed',
    message: 'Add the origin "https://new.example" to the origins of your account, or use another key.',
  });
});

test.each(
  ROUTES.filter(refusesUnknownFields).flatMap((route) => {
    const [field] = ('body' in route && route.body && fieldNamesOf(route.body.schema)) || [];
    return field === undefined ? [] : [[route.method, route.path, field] as const];
  }),
)('%s %s, one of our own for the secret key: a mistyped %s is refused by its name', async (method, path, field) => {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PATH_IDS[name]?.[1] ?? '');
  const answer = await call(api, method, url, { key: secret, body: { [`${field}_`]: 1 } });
  expect(answer.json()).toMatchObject({ error: 'malformed_request', param: `${field}_` });
  expect(answer.json().message).toContain(`did you mean ${field}?`);
});

test('the interface’s endpoints ignore unknown fields, as the interface says', async () => {
  const created = await call(api, ...create({ usdAmount: 5, tokenShortcode: 'basesepolia_usdc', colour: 'red' }));
  expect(created.statusCode).toBe(402);
  const { paymentIntentId } = created.json();
  const settled = await call(api, 'POST', '/sdk/payments/x402/upto/settle', {
    key: secret,
    headers: { 'x-account-id': accountId },
    body: { paymentIntentId, settledAmount: '1', colour: 'red' },
  });
  expect(settled.json().error).not.toBe('malformed_request');
});

test('a sentence repeats little of what a stranger sent, in one line', async () => {
  const long = await call(api, 'GET', `/${'a'.repeat(3_000)}`);
  expect(long.json().message.length).toBeLessThan(200);
  const name = `\n<b>${'x'.repeat(500)}`;
  const field = await call(api, 'POST', ENDPOINTS, { key: secret, body: { ...hooks, [name]: 1 } });
  expect(field.json()).toMatchObject({ error: 'malformed_request', param: name });
  expect(field.json().message).not.toContain('\n');
  expect(field.json().message.length).toBeLessThan(250);
});

function literally(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
