import { expect, test } from 'vitest';
import { CREATE, call, cancelPath, intentPath } from '../testing/call.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const anyone = await startTestApi();
const somebody = await startTestApi({ SVC_API_CORS_ORIGINS: 'https://shop.example, https://other.example' });
const headers = { origin: 'https://shop.example' };

test('publishable routes answer every page, also when they refuse', async () => {
  for (const [method, path] of [
    ['POST', CREATE],
    ['GET', intentPath('pi_x')],
    ['GET', `${intentPath('pi_x')}/stream`],
  ] as const) {
    const response = await call(anyone, method, path, { headers });
    expect(response.statusCode).toBe(401);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-expose-headers']).toMatch(/X-Request-Id.*\bDate\b/);
  }
});

test('a preflight says what may be sent', async () => {
  const response = await call(anyone, 'OPTIONS', CREATE, { headers });
  expect(response.statusCode).toBe(204);
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': expect.stringContaining('Idempotency-Key'),
    'x-request-id': expect.stringMatching(/^req_/),
  });
});

test('secret routes are closed to pages', async () => {
  const preflight = await call(anyone, 'OPTIONS', cancelPath('pi_x'), { headers });
  expect(preflight.statusCode).toBe(405);
  const request = await call(anyone, 'POST', cancelPath('pi_x'), { headers });
  for (const response of [preflight, request]) expect(response.headers['access-control-allow-origin']).toBeUndefined();
});

test('with origins configured, only those are answered, and caches are told', async () => {
  const known = await call(somebody, 'POST', CREATE, { headers });
  expect(known.headers).toMatchObject({ 'access-control-allow-origin': 'https://shop.example', vary: 'Origin' });
  const stranger = await call(somebody, 'POST', CREATE, { headers: { origin: 'https://shop.example.evil' } });
  expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
  expect(stranger.headers['vary']).toBe('Origin');
});
