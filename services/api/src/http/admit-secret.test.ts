import { clientSecretOf } from '@svc-pay/core';
import { createMemoryQuotas } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createQuotaRounds } from '../limit/quota-rounds.ts';
import { createRateLimiter } from '../limit/rate-limit.ts';
import { getIntent } from '../routes/get-intent.ts';
import { settlePayment } from '../routes/settle-payment.ts';
import { createStreamSlots } from '../stream/stream-slots.ts';
import { showTightest } from './admit.ts';
import { createAdmitSecret } from './admit-secret.ts';

const PEPPER = new Uint8Array(32).fill(7);
const NOW_MS = 1_000_000;
const PER_KEY = 5;
const PER_ADDRESS = 60;
const reply = { headers: () => reply } as unknown as FastifyReply;
const owner = { accountId: newId('account', NOW_MS), mode: 'test' } as const;
const intentId = newId('paymentIntent', NOW_MS);
const secret = clientSecretOf(PEPPER, owner, intentId);
const wrong = `${secret.slice(0, -22)}${'A'.repeat(22)}`;

function world() {
  const rounds = createQuotaRounds({
    store: createMemoryQuotas(() => NOW_MS).open('one'),
    streams: createStreamSlots({ max: 0, perAddress: 0, perKey: 0, perAccount: 0, perIntent: 0 }),
    nowMs: () => NOW_MS,
    onLate: () => {},
    onTime: () => {},
    onProblem: () => {},
  });
  onTestFinished(rounds.stop);
  let looks = 0;
  const { toRoute, toIntent } = createAdmitSecret({
    ports: {
      clock: { nowMs: () => NOW_MS },
      peppers: [PEPPER],
      denials: {
        isAddressDenied: (address) => address === 'denied',
        isKeyDenied: () => false,
        isPayerDenied: () => false,
        arrive: () => undefined,
        hold: () => () => {},
        hashOf: (address) => address,
      },
      findAccountStatus: async () => {
        looks += 1;
        return 'active';
      },
    },
    limiter: createRateLimiter(
      { perKey: { live: PER_KEY, test: PER_KEY }, perAddress: PER_ADDRESS, storedBytesPerDay: 1_000_000 },
      rounds,
    ),
  });
  /** `ok`, or the code of the refusal. */
  const ask = async (clientAddress: string, text: string, route = getIntent): Promise<string> => {
    const body = { paymentIntentId: intentId };
    const request = { clientAddress, headers: {}, params: { intentId }, body } as unknown as FastifyRequest;
    const shown = { text, within: showTightest(reply) };
    const early = await toRoute(request, shown, route);
    if (early !== undefined) return early.code;
    const admitted = await toIntent(request, shown, route);
    if (!admitted.ok) return admitted.code;
    return admitted.limitedBy === undefined ? 'ok' : 'ok, over the limit';
  };
  const askTimes = async (times: number, address: (index: number) => string, text: string) => {
    const codes: string[] = [];
    for (let index = 0; index < times; index += 1) codes.push(await ask(address(index), text));
    return codes;
  };
  return { ask, askTimes, looks: () => looks };
}

test('wrong secrets use up nothing of the account that they name, and ask the database for nothing', async () => {
  const { askTimes, looks } = world();
  const strangers = await askTimes(200, (index) => `198.51.100.${index}`, wrong);
  expect(new Set(strangers)).toEqual(new Set(['client_secret_invalid']));
  expect(looks()).toBe(0);
  expect(await askTimes(15, () => '203.0.113.7', secret)).toEqual(Array(15).fill('ok'));
});

test('right ones share the quota of their account, and wrong ones count for their address', async () => {
  const { askTimes } = world();
  const codes = await askTimes(40, () => '203.0.113.7', secret);
  expect(codes.slice(0, 20)).toEqual(Array(20).fill('ok'));
  expect(codes.at(-1)).toBe('rate_limited');
  const guesses = await askTimes(PER_ADDRESS + 5, () => '203.0.113.8', wrong);
  expect(guesses.at(-1)).toBe('rate_limited');
});

test('over the limit a route that spares claimed payments decides itself', async () => {
  const { ask } = world();
  const codes = new Set<string>();
  for (let index = 0; index < 40; index += 1) codes.add(await ask('203.0.113.7', secret, settlePayment));
  expect(codes).toEqual(new Set(['ok', 'ok, over the limit']));
});

test('a denied address is refused before the secret is looked at', async () => {
  const { ask } = world();
  expect(await ask('denied', secret)).toBe('address_denied');
});
