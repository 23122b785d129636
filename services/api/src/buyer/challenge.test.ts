import type { PaymentRequired } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { challengeHeaders, statusPath } from './challenge.ts';

const PEPPER = new Uint8Array(32).fill(7);
const accountId = newId('account', 1);
const paymentIntentId = newId('paymentIntent', 1);
const requiredFor = (resource: string) =>
  ({
    paymentIntentId,
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        maxAmountRequired: '1500000',
        asset: `0x${'a'.repeat(40)}`,
        payTo: `0x${'b'.repeat(40)}`,
        maxTimeoutSeconds: 600,
        resource,
        description: '',
        mimeType: '',
        extra: {
          name: 'USD Coin',
          eip3009Version: '2',
          primaryType: 'TransferWithAuthorization',
          intentId: paymentIntentId,
        },
      },
    ],
  }) as unknown as PaymentRequired;
const required = requiredFor('https://shop.example/page');

test('with live money the address that pays is given over TLS only', () => {
  const names = (baseUrl: string, mode: 'live' | 'test') =>
    Object.keys(challengeHeaders(required, baseUrl, PEPPER, { accountId, mode }));
  expect(names('http://pay.example', 'live')).toEqual(['payment-required']);
  expect(names('https://pay.example', 'live')).toEqual(['payment-required', 'x-svc-pay-url']);
  expect(names('http://127.0.0.1:8402', 'test')).toEqual(['payment-required', 'x-svc-pay-url']);
});

test('a resource that is too long for a header gives way to the status address', () => {
  const long = requiredFor(`https://shop.example/${'ä'.repeat(2_000)}`);
  const headers = challengeHeaders(long, 'https://pay.example', PEPPER, { accountId, mode: 'live' });
  const challenge = JSON.parse(Buffer.from(headers['payment-required'] ?? '', 'base64').toString());
  expect(challenge.resource.url).toBe(`https://pay.example${statusPath(paymentIntentId)}`);
  expect(challenge.accepts).toHaveLength(1);
});
