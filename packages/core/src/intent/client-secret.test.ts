import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { clientSecretOf, readClientSecret } from './client-secret.ts';

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const pepper = new Uint8Array(32).fill(7);
const owner = { accountId: newId('account', NOW), mode: 'test' } as const;
const intentId = newId('paymentIntent', NOW);
const secret = clientSecretOf(pepper, owner, intentId);
const read = (given: string, nowMs = NOW, of = intentId) => readClientSecret([pepper], of, given, nowMs);

test('the secret names the owner of its intent, and is the same each time', () => {
  expect(read(secret)).toEqual(owner);
  expect(clientSecretOf(pepper, owner, intentId)).toBe(secret);
  expect(Buffer.from(secret.slice(-22), 'base64url')).toHaveLength(16);
});

test('a client secret opens no other intent, account, mode or installation', () => {
  expect(read(secret, NOW, newId('paymentIntent', NOW))).toBeUndefined();
  expect(read(secret.replace(owner.accountId, newId('account', NOW)))).toBeUndefined();
  expect(read(secret.replace('test_', 'live_'))).toBeUndefined();
  expect(readClientSecret([new Uint8Array(32).fill(8)], intentId, secret, NOW)).toBeUndefined();
});

test('one changed character of the code is refused', () => {
  for (let place = secret.length - 22; place < secret.length - 1; place += 1) {
    const other = secret[place] === 'A' ? 'B' : 'A';
    expect(read(secret.slice(0, place) + other + secret.slice(place + 1))).toBeUndefined();
  }
});

test.each(['', 'test', secret.slice(0, -1), `${secret}A`, ` ${secret}`, secret.replaceAll('_', '-')])(
  '%j is no secret',
  (given) => {
    expect(read(given)).toBeUndefined();
  },
);

test('a client secret ends 30 days after the intent was created', () => {
  expect(read(secret, NOW + 30 * DAY_MS - 1)).toEqual(owner);
  expect(read(secret, NOW + 30 * DAY_MS)).toBeUndefined();
});

test('a secret of an older pepper is taken as long as that pepper is given', () => {
  const next = new Uint8Array(32).fill(9);
  expect(readClientSecret([next, pepper], intentId, secret, NOW)).toEqual(owner);
  expect(readClientSecret([pepper, next], intentId, clientSecretOf(next, owner, intentId), NOW)).toEqual(owner);
  expect(readClientSecret([next], intentId, secret, NOW)).toBeUndefined();
});
