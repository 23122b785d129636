import { describe, expect, test } from 'vitest';
import { createSvcPay } from '../client.ts';
import { systemPorts } from '../ports.ts';
import { SAMPLE } from '../testing/fake-service.ts';
import { createService } from './service.ts';

function serviceAt(baseUrl: string) {
  const seen: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push({ url: input as string, init });
    return new Response('{}');
  };
  const credential = { kind: 'publishable_key', text: 'pk_test_x' } as const;
  const limits = { credential, requestTimeoutMs: 1_000, settleTimeoutMs: 1_000 };
  return { seen, service: createService({ ...systemPorts, fetch }, { baseUrl, ...limits }) };
}

const { signal } = new AbortController();
const submission = (facilitatorUrl: unknown) => ({
  paymentIntentId: 'pi_1',
  paymentHeader: 'e30=',
  paymentRequirements: { ...SAMPLE, extra: { ...SAMPLE.extra, facilitatorUrl: facilitatorUrl as string } },
});

describe('a signed header goes only to the origin that was configured', () => {
  test.each([
    [null, 'https://pay.example/shop'],
    ['https://pay.example/eu', 'https://pay.example/eu'],
    ['https://pay.example.evil', 'https://pay.example/shop'],
    ['http://pay.example', 'https://pay.example/shop'],
    ['javascript:alert(1)', 'https://pay.example/shop'],
    ['nonsense', 'https://pay.example/shop'],
  ])('facilitator %s', async (named, expected) => {
    const { seen, service } = serviceAt('https://pay.example/shop/');
    await service.settle(submission(named), signal);
    await service.confirmUpto(submission(named), signal);
    expect(seen.map(({ url }) => url)).toEqual([
      `${expected}/sdk/public/payments/x402/settle`,
      `${expected}/sdk/public/payments/intents/x402/upto/confirm`,
    ]);
  });
});

test('no request follows a redirect, carries cookies or is kept', async () => {
  const { seen, service } = serviceAt('https://pay.example');
  await service.createIntent({}, 'att_1', signal);
  await service.notify('pi_1', signal);
  await service.openStream('pi_1', signal);
  for (const { init } of seen) {
    expect(init).toMatchObject({ redirect: 'error', credentials: 'omit', cache: 'no-store' });
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer pk_test_x');
  }
  expect(seen.every(({ url }) => !url.includes('pk_test_x'))).toBe(true);
});

test.each([
  ['a secret key', { publishableKey: 'sk_live_x' }],
  ['no key', { publishableKey: '' }],
  ['no address', { baseUrl: 'pay' }],
])('a client with %s is not made', (_, wrong) => {
  const right = { baseUrl: 'https://pay.example', publishableKey: 'pk_test_x' };
  expect(() => createSvcPay({ ...right, ...wrong })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
