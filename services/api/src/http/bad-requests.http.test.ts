import { once } from 'node:events';
import { connect } from 'node:net';
import { errorBody } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { CREATE, call, cancelPath, intentPath } from '../testing/call.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi({ SVC_API_REQUEST_TIMEOUT_MS: '300' });
const key = api.account.keys.test.publishable;
const secret = api.account.keys.test.secret;
const create = (body: string | object, headers: Record<string, string> = {}) =>
  call(api, 'POST', CREATE, { key, body, headers });
const withAmount = (field: string, json: string) => create(`{"tokenShortcode":"basesepolia_usdc","${field}":${json}}`);

const shown = (value: unknown) => JSON.stringify(value).slice(0, 60);

function expectRefusal(response: LightMyRequestResponse, status: number, error: string): void {
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status, error });
  expect(errorBody.safeParse(response.json()).success).toBe(true);
  expect(response.json().requestId).toBe(response.headers['x-request-id']);
  expect(response.json().docUrl).toBe(`https://pay.example/reference/errors#${error}`);
  expect(response.headers['cache-control']).toBe('no-store');
}

describe('dollars', () => {
  test.each([
    ['0', 400, 'invalid_amount'],
    ['0.0', 400, 'invalid_amount'],
    ['-1', 400, 'invalid_amount'],
    ['-0', 400, 'invalid_amount'],
    ['1e-30', 400, 'invalid_amount'],
    ['1e308', 422, 'amount_too_large'],
    ['1e999', 422, 'amount_too_large'],
    ['9007199254740993', 422, 'amount_too_large'],
    ['1.00000000000000000001', 400, 'invalid_amount'],
    ['0.0000000000000000001', 400, 'invalid_amount'],
    ['"01"', 400, 'invalid_amount'],
    ['"0x10"', 400, 'invalid_amount'],
    ['"NaN"', 400, 'invalid_amount'],
    ['""', 400, 'invalid_amount'],
    ['" 1"', 400, 'invalid_amount'],
    ['"1,0"', 400, 'invalid_amount'],
    ['"١"', 400, 'invalid_amount'],
    ['NaN', 400, 'invalid_json'],
    ['01', 400, 'invalid_json'],
    ['0x10', 400, 'invalid_json'],
    ['true', 400, 'malformed_request'],
    ['[]', 400, 'malformed_request'],
    ['{}', 400, 'malformed_request'],
    ['null', 422, 'amount_missing'],
  ])('%s is %i %s', async (json, status, error) => {
    for (const field of ['usdAmount', 'amountUsd']) expectRefusal(await withAmount(field, json), status, error);
  });

  test.each([
    ['1.0', '1000000'],
    ['"1.0"', '1000000'],
    ['0.30000000000000004', '300001'],
    ['"0.3"', '300000'],
    ['1.000000000000000001', '1000001'],
    ['1E-6', '1'],
    ['0.000000000000000001', '1'],
    ['999999999999.999999', '999999999999999999'],
  ])('%s is exact, and rounds up to %s units', async (json, units) => {
    const response = await withAmount('usdAmount', json);
    expect(response.statusCode).toBe(402);
    expect(response.json().accepts[0].maxAmountRequired).toBe(units);
  });

  test('the stored dollars are the digits that were sent', async () => {
    const { paymentIntentId } = (await withAmount('usdAmount', '0.30000000000000004')).json();
    const { rows } = await api.database.pool.query('select amount_usd_atto::text from svc.intents where id = $1', [
      paymentIntentId,
    ]);
    expect(rows).toEqual([{ amount_usd_atto: '300000000000000040' }]);
  });
});

describe('smallest units', () => {
  test.each([
    ['"0"', 400, 'invalid_amount'],
    ['"-1"', 400, 'invalid_amount'],
    ['"-0"', 400, 'invalid_amount'],
    ['"01"', 400, 'invalid_amount'],
    ['"1.0"', 400, 'invalid_amount'],
    ['"1e3"', 400, 'invalid_amount'],
    ['"0x1"', 400, 'invalid_amount'],
    ['"NaN"', 400, 'invalid_amount'],
    [`"${2n ** 128n}"`, 422, 'amount_too_large'],
    [`"${2n ** 256n}"`, 422, 'amount_too_large'],
    [`"${'9'.repeat(100)}"`, 422, 'amount_too_large'],
    ['1', 400, 'malformed_request'],
  ])('%s is %i %s', async (json, status, error) => {
    expectRefusal(await withAmount('amount', json), status, error);
  });

  test.each([String(2n ** 53n + 1n), String(2n ** 128n - 1n)])('%s is kept to the unit', async (units) => {
    const { accepts, paymentIntentId } = (await withAmount('amount', `"${units}"`)).json();
    expect(accepts[0].maxAmountRequired).toBe(units);
    const { paymentIntent } = (await call(api, 'GET', intentPath(paymentIntentId), { key })).json();
    expect(paymentIntent.amount).toBe(units);
  });

  test('both amounts must agree within one unit', async () => {
    const both = (amount: string) => create({ tokenShortcode: 'basesepolia_usdc', usdAmount: 1, amount });
    expect((await both('1000001')).statusCode).toBe(402);
    expectRefusal(await both('1000002'), 422, 'amounts_disagree');
  });
});

describe('bodies', () => {
  test.each(
    [
      ['{', 400, 'invalid_json'],
      ['nothing', 400, 'invalid_json'],
      ['null', 400, 'malformed_request'],
      ['[]', 400, 'malformed_request'],
      ['"text"', 400, 'malformed_request'],
      ['1', 400, 'malformed_request'],
      ['', 400, 'malformed_request'],
      ['['.repeat(30_000), 400, 'malformed_request'],
      ['{}', 422, 'amount_missing'],
      ['{"usdAmount":1,"tokenShortcode":7}', 400, 'malformed_request'],
      ['{"usdAmount":1,"tokenShortcode":"doge"}', 422, 'token_unknown'],
      ['{"usdAmount":1,"tokenShortcode":"base_usdc"}', 422, 'token_unknown'],
      ['{"usdAmount":1,"tokenShortcode":"basesepolia_eurc"}', 422, 'token_not_enabled'],
      ['{"usdAmount":1,"chainId":1e999}', 400, 'malformed_request'],
      ['{"usdAmount":1,"chainId":1.5}', 422, 'token_unknown'],
      ['{"usdAmount":1,"metadata":[]}', 400, 'malformed_request'],
      ['{"usdAmount":1,"metadata":"x"}', 400, 'malformed_request'],
      ['{"usdAmount":1,"x402Upto":"true"}', 400, 'malformed_request'],
      ['{"usdAmount":1,"x402Upto":true,"maxTimeoutSeconds":1}', 422, 'max_timeout_out_of_range'],
      ['{"usdAmount":1,"x402Upto":true,"maxTimeoutSeconds":604801}', 422, 'max_timeout_out_of_range'],
      ['{"usdAmount":1,"x402Upto":true,"maxTimeoutSeconds":-1}', 400, 'malformed_request'],
      ['{"usdAmount":1,"description":"a\\u0000b"}', 400, 'malformed_request'],
      ['{"usdAmount":1,"description":"\\ud800"}', 400, 'malformed_request'],
      ['{"usdAmount":1,"amount":"1"}', 422, 'amount_needs_token'],
      [JSON.stringify({ usdAmount: 1, metadata: { text: 'x'.repeat(16_384) } }), 422, 'metadata_too_large'],
      [JSON.stringify({ usdAmount: 1, description: 'x'.repeat(70_000) }), 413, 'payload_too_large'],
    ].map((row) => [shown(row[0]), ...row] as const),
  )('%s is refused', async (_, body, status, error) => {
    expectRefusal(await create(String(body)), Number(status), String(error));
  });

  test('the field at fault is named', async () => {
    expect((await create({ usdAmount: 1, tokenShortcode: 7 })).json().param).toBe('tokenShortcode');
    expect((await create({ amountUsd: '01' })).json().param).toBe('amountUsd');
  });

  test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/jsonp', 'nonsense'])(
    'a body of type %s is refused',
    async (type) => {
      expectRefusal(await create({ usdAmount: 1 }, { 'content-type': type }), 415, 'unsupported_media_type');
    },
  );

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('%s is JSON', async (type) => {
    expect((await create({ usdAmount: 1 }, { 'content-type': type })).statusCode).toBe(402);
  });

  test.each([
    ['metadata with a zero character', { a: '\u0000' }],
    ['metadata with half a character', { a: '\ud800' }],
    ['a zero character in a name', { '\u0000': 1 }],
    ['names that objects have anyway', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
  ])('%s is kept or refused, never a fault', async (_, metadata) => {
    const response = await create({ usdAmount: 1, metadata });
    expect([402, 400]).toContain(response.statusCode);
    if (response.statusCode !== 402) return;
    const read = await call(api, 'GET', intentPath(response.json().paymentIntentId), { key });
    expect(read.json().paymentIntent.metadata).toEqual(metadata);
  });
});

describe('ids', () => {
  const unknown = newId('paymentIntent', Date.now());
  test.each(
    [
      unknown,
      'x',
      'pi_',
      unknown.toUpperCase(),
      unknown.replace('pi_', 'pay_'),
      `${unknown}0`,
      'pi_%00',
      "pi_' or 1=1--",
      'x'.repeat(5_000),
      '%F0%9F%92%B8',
    ].map((id) => [shown(id), id] as const),
  )('%s is not found', async (_, id) => {
    expectRefusal(await call(api, 'GET', intentPath(id), { key }), 404, 'not_found');
    expectRefusal(await call(api, 'GET', `${intentPath(id)}/stream`, { key }), 404, 'not_found');
    const canceled = await call(api, 'POST', cancelPath(id), { key: secret });
    // `..` leads to the path of a payment, which takes no POST.
    if (id === '%2e%2e') expectRefusal(canceled, 405, 'method_not_allowed');
    else expectRefusal(canceled, 404, 'not_found');
  });

  test('a path that climbs out of the ids is no route', async () => {
    expectRefusal(await call(api, 'GET', intentPath('%2e%2e'), { key }), 404, 'route_unknown');
  });
});

describe('addresses and methods', () => {
  test.each(['/sdk', '/sdk/public/payments', '/metrics', '/%zz', '//health', '/health/'])(
    '%s is not found',
    async (url) => {
      expectRefusal(await call(api, 'GET', url), 404, 'route_unknown');
    },
  );

  test.each([
    // The last path segment could be an intent id.
    ['PUT', CREATE, 'POST, GET'],
    ['POST', intentPath('pi_x'), 'GET'],
    ['DELETE', intentPath('pi_x'), 'GET'],
    ['POST', '/health', 'GET'],
    ['OPTIONS', cancelPath('pi_x'), 'POST'],
  ] as const)('%s %s is not a method of this address', async (method, url, allow) => {
    const response = await call(api, method, url, { key });
    expectRefusal(response, 405, 'method_not_allowed');
    expect(response.headers['allow']).toBe(allow);
  });
});

describe('what is not even HTTP', () => {
  async function sent(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.write(bytes);
    await once(socket, 'close');
    return answer;
  }

  test.each([
    ['garbage', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'a header too large',
      `GET /health HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'two lengths',
      'POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['a request that never ends', `POST ${CREATE} HTTP/1.1\r\nhost: a\r\ncontent-length: 9`, 408, 'request_timeout'],
  ])('%s is answered in the same shape, and says nothing about money', async (_, bytes, status, error) => {
    const answer = await sent(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(errorBody.safeParse(JSON.parse(body)).success).toBe(true);
    expect(JSON.parse(body)).toMatchObject({ error, moneyMoved: 'unknown' });
    expect(head).toContain(`X-Request-Id: ${JSON.parse(body).requestId}`);
  });
});

describe('idempotency keys', () => {
  test.each(['', ' ', 'a b', 'x'.repeat(256), 'k\u00e9y'])('%j is refused on every POST', async (idempotencyKey) => {
    const headers = { 'idempotency-key': idempotencyKey };
    expectRefusal(await create({ usdAmount: 1 }, headers), 400, 'idempotency_key_invalid');
    const cancel = await call(api, 'POST', cancelPath(newId('paymentIntent', 1)), { key: secret, headers });
    expectRefusal(cancel, 400, 'idempotency_key_invalid');
  });
});

test('nothing above was a fault of ours', () => {
  expect(api.logs.filter((line) => line.includes('"event":"request_failed"'))).toEqual([]);
});
