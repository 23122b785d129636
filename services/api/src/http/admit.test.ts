import { randomBytes } from 'node:crypto';
import { type ApiKeyText, type KeyKind, keyIndex, makeApiKey, type StoredKey } from '@svc-pay/core';
import { createMemoryQuotas } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createQuotaRounds } from '../limit/quota-rounds.ts';
import { createRateLimiter } from '../limit/rate-limit.ts';
import { getIntent } from '../routes/get-intent.ts';
import { createStreamSlots } from '../stream/stream-slots.ts';
import { createAdmit } from './admit.ts';

const PER_ADDRESS = 40;
const PEPPER = new Uint8Array(32).fill(7);
const reply = { headers: () => reply } as unknown as FastifyReply;
const forged = (kind: KeyKind) => makeApiKey(kind, 'live', randomBytes);

/** Admission over an in-memory table of keys. Counts lookups; only the test moves the clock. */
function world() {
  const table = new Map<string, StoredKey>();
  const denied = new Set<string>();
  let lookups = 0;
  let nowMs = 1_000_000;
  const rounds = createQuotaRounds({
    store: createMemoryQuotas(() => nowMs).open('one'),
    streams: createStreamSlots({ max: 0, perAddress: 0, perKey: 0, perAccount: 0, perIntent: 0 }),
    nowMs: () => nowMs,
    onLate: () => {},
    onTime: () => {},
    onProblem: () => {},
  });
  onTestFinished(rounds.stop);
  const admit = createAdmit({
    ports: {
      clock: { nowMs: () => nowMs },
      peppers: [PEPPER],
      denials: {
        isAddressDenied: (address) => denied.has(address),
        isKeyDenied: (keyId) => denied.has(keyId),
        isPayerDenied: () => false,
        arrive: () => undefined,
        hold: () => () => {},
        hashOf: (address) => address,
      },
      findKey: async ([index]) => {
        lookups += 1;
        return table.get(Buffer.from(index).toString('hex'));
      },
    },
    limiter: createRateLimiter(
      { perKey: { live: 10_000, test: 10_000 }, perAddress: PER_ADDRESS, storedBytesPerDay: 1_000_000 },
      rounds,
    ),
  });
  const nameOf = (text: ApiKeyText) => Buffer.from(keyIndex(PEPPER, text)).toString('hex');
  return {
    lookups: () => lookups,
    deny: (name: string) => void denied.add(name),
    keyIdOf: (text: ApiKeyText) => table.get(nameOf(text))?.keyId ?? '',
    wait: (ms: number) => void (nowMs += ms),
    addKey: (kind: KeyKind) => {
      const text = makeApiKey(kind, 'live', randomBytes);
      const stored = { accountId: newId('account', 0), keyId: newId('key', 0), kind, mode: 'live' } as const;
      table.set(nameOf(text), { ...stored, revoked: false, expiresAtMs: null });
      return text;
    },
    revoke: (text: ApiKeyText) => {
      const stored = table.get(nameOf(text));
      if (stored !== undefined) table.set(nameOf(text), { ...stored, revoked: true });
    },
    ask: async (key: string, address: string) => (await answerTo(key, address)).code,
    answerTo,
  };

  async function answerTo(key: string, clientAddress: string) {
    const headers = { authorization: `Bearer ${key}` };
    // Without `ip`, as once the client has hung up.
    const request = { clientAddress, query: {}, headers } as unknown as FastifyRequest;
    const admission = await admit(request, reply, getIntent);
    return { code: admission.ok ? 'admitted' : admission.code, keyId: request.foundKey?.keyId };
  }
}

test.each(['publishable', 'secret'] as const)(
  '3,000 forged %s keys of one address at once cause no more lookups than the address may send requests',
  async (kind) => {
    const { ask, lookups, wait } = world();
    const answers = await Promise.all(Array.from({ length: 3_000 }, () => ask(forged(kind), '192.0.2.1')));
    expect(lookups()).toBe(PER_ADDRESS);
    expect(answers.filter((answer) => answer === 'rate_limited')).toHaveLength(3_000 - PER_ADDRESS);
    wait(1_000);
    await Promise.all(Array.from({ length: 300 }, () => ask(forged(kind), '192.0.2.1')));
    expect(lookups()).toBe(2 * PER_ADDRESS);
  },
);

test('forged keys of both kinds share the lookups of their address', async () => {
  const { ask, lookups } = world();
  for (let count = 0; count < 200; count += 1) {
    await ask(forged('publishable'), '192.0.2.1');
    await ask(forged('secret'), '192.0.2.1');
  }
  expect(lookups()).toBe(PER_ADDRESS);
});

test('a /64 of IPv6 is one address, and an IPv4 address is the same written as IPv6', async () => {
  const { ask, lookups } = world();
  for (let count = 0; count < 200; count += 1) await ask(forged('secret'), `2001:db8::${count.toString(16)}`);
  expect(lookups()).toBe(PER_ADDRESS);
  for (let count = 0; count < 100; count += 1) {
    await ask(forged('secret'), '192.0.2.9');
    await ask(forged('secret'), '::ffff:192.0.2.9');
  }
  expect(lookups()).toBe(2 * PER_ADDRESS);
});

test('a server with a valid secret key is not limited by its address', async () => {
  const { ask, addKey } = world();
  const key = addKey('secret');
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => ask(key, '192.0.2.1')));
  for (let count = 0; count < 1_000; count += 1) answers.push(await ask(key, '192.0.2.1'));
  expect(new Set(answers)).toEqual(new Set(['admitted']));
});

test('nor by strangers who guess keys from its address, once its key was found valid', async () => {
  const { ask, addKey, lookups } = world();
  const key = addKey('secret');
  expect(await ask(key, '192.0.2.1')).toBe('admitted');
  for (let count = 0; count < 100; count += 1) await ask(forged('secret'), '192.0.2.1');
  expect(lookups()).toBe(PER_ADDRESS);
  expect(await ask(key, '192.0.2.1')).toBe('admitted');
  // Other addresses are not affected.
  expect(await ask(addKey('secret'), '192.0.2.2')).toBe('admitted');
});

test('a key that was revoked counts as a stranger’s again', async () => {
  const { ask, addKey, revoke, lookups } = world();
  const key = addKey('secret');
  await ask(key, '192.0.2.1');
  revoke(key);
  const before = lookups();
  for (let count = 0; count < 200; count += 1) expect(await ask(key, '192.0.2.1')).not.toBe('admitted');
  expect(lookups() - before).toBeLessThanOrEqual(PER_ADDRESS + 1);
});

test('a denied address is refused before its key is looked up, also with a valid secret key', async () => {
  const { ask, addKey, deny, lookups } = world();
  const key = addKey('secret');
  deny('192.0.2.1');
  expect(await ask(key, '192.0.2.1')).toBe('address_denied');
  expect(await ask(forged('publishable'), '192.0.2.1')).toBe('address_denied');
  expect(lookups()).toBe(0);
  expect(await ask(key, '192.0.2.2')).toBe('admitted');
});

test.each(['publishable', 'secret'] as const)('a denied %s key is as a revoked one', async (kind) => {
  const { ask, addKey, deny, keyIdOf } = world();
  const key = addKey(kind);
  expect(await ask(key, '192.0.2.1')).toBe('admitted');
  deny(keyIdOf(key));
  expect(await ask(key, '192.0.2.1')).toBe('key_invalid');
  expect(await ask(addKey(kind), '192.0.2.1')).toBe('admitted');
});

test('a request over its address’s limit is named by its key, without a lookup, once the key was found', async () => {
  const { addKey, answerTo, keyIdOf, lookups, ask } = world();
  const key = addKey('publishable');
  await ask(key, '192.0.2.1');
  for (let count = 0; count < PER_ADDRESS; count += 1) await ask(forged('publishable'), '192.0.2.2');
  const before = lookups();
  expect(await answerTo(key, '192.0.2.2')).toEqual({ code: 'rate_limited', keyId: keyIdOf(key) });
  expect(await answerTo(addKey('publishable'), '192.0.2.2')).toEqual({ code: 'rate_limited', keyId: undefined });
  expect(await answerTo(forged('publishable'), '192.0.2.2')).toEqual({ code: 'rate_limited', keyId: undefined });
  expect(lookups()).toBe(before);
});

test('so is a revoked key beyond the lookups of its address', async () => {
  const { addKey, answerTo, keyIdOf, revoke, ask } = world();
  const key = addKey('secret');
  revoke(key);
  for (let count = 0; count < PER_ADDRESS; count += 1) expect(await ask(key, '192.0.2.1')).toBe('key_invalid');
  expect(await answerTo(key, '192.0.2.1')).toEqual({ code: 'rate_limited', keyId: keyIdOf(key) });
});
