import { TOKENS } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { type AgentWorld, agentWorld, type Behaviour } from '../testing/agent-world.ts';
import { agentFor, asks, challenge, OFFER, ok, paidHeaders, URL_OF_SELLER } from '../testing/scripted-agent.ts';
import type { PaymentProposal } from './agent.ts';
import { agentTokens } from './agent-tokens.ts';

const LIMITS = { perRequest: '0.05', perHost: '1', perDay: '1' };
const DAY_MS = 86_400_000;
const SELLS = { version: 2, price: 30_000, answer: 'ok', settles: true } as const satisfies Behaviour;
const buy = (world: AgentWorld, behaviour: Behaviour, call: { readonly key?: string; readonly path?: string } = {}) =>
  world.run(
    [{ url: `https://one.example/${call.path ?? ''}`, key: call.key }],
    [behaviour, behaviour, behaviour, behaviour],
  );
const keyed = (body: string | FormData, key?: string) => ({
  method: 'POST',
  body,
  ...(key !== undefined && { headers: { 'idempotency-key': key } }),
});

test('one key is one purchase at its origin: another body, address or method under it is refused, unsent', async () => {
  const { codeOf, signed, sent } = agentFor([() => asks(OFFER), () => new Response('', { status: 503 })]);
  expect(await codeOf(URL_OF_SELLER, keyed('{"at":1}', 'order-7'))).toBe('seller_failed');
  const sends = sent.length;
  expect(await codeOf(URL_OF_SELLER, keyed('{"at":2}', 'order-7'))).toBe('invalid_request');
  expect(await codeOf(`${URL_OF_SELLER}?now=2`, keyed('{"at":1}', 'order-7'))).toBe('invalid_request');
  expect(await codeOf(URL_OF_SELLER, { headers: { 'idempotency-key': 'order-7' } })).toBe('invalid_request');
  expect([signed.length, sent.length]).toEqual([1, sends]);
  expect(await codeOf(URL_OF_SELLER, keyed('{"at":1}', 'order-7'))).toBe('seller_failed');
  expect(signed.length).toBe(1);
});

test('a form, whose bytes no later call repeats, is sent where nothing is asked and never paid for', async () => {
  const form = new FormData();
  form.set('picture', new Blob(['bytes']));
  expect(await agentFor([ok]).codeOf(URL_OF_SELLER, keyed(form))).toBe(200);
  const { codeOf, signed } = agentFor([() => asks(OFFER)]);
  expect(await codeOf(URL_OF_SELLER, keyed(form))).toBe('invalid_request');
  expect(await codeOf(URL_OF_SELLER, keyed(form, 'order-7'))).toBe('invalid_request');
  expect(signed).toEqual([]);
  const written = {
    method: 'POST',
    body: '--a\r\n\r\n--a--',
    headers: { 'content-type': 'multipart/form-data;boundary=a' },
  };
  expect(await agentFor([() => asks(OFFER), ok]).codeOf(URL_OF_SELLER, written)).toBe(200);
});

test('what a crash left unsigned is judged anew, by the limits of the process that finds it', async () => {
  const outcomes = new Set<string>();
  for (let effects = 1; effects < 16; effects += 1) {
    const world = agentWorld(LIMITS, { rpc: false });
    await world.run([{ url: 'https://one.example/' }], [SELLS, SELLS, SELLS, SELLS], effects);
    const isSent = world.given.size > 0;
    world.restart({ ...LIMITS, perRequest: '0.01' });
    const outcome = await buy(world, SELLS);
    expect(world.signedAboveLimits).toEqual([]);
    outcomes.add(`${isSent ? 'sent' : 'unsent'}: ${String(outcome)}`);
  }
  // A payment that was signed and perhaps sent is sent again, whatever the limits are now.
  expect([...outcomes].sort()).toEqual([
    'sent: goods',
    'sent: limit_request',
    'unsent: goods',
    'unsent: limit_request',
  ]);
});

test.each([40, -40, 400])('a clock that jumps by %s days and back makes nothing be bought twice', async (days) => {
  const world = agentWorld({ perRequest: '1', perHost: '9', perDay: '9' }, { rpc: false });
  expect(await buy(world, { ...SELLS, answer: 'lost' })).toEqual(['answer_lost']);
  expect(await buy(world, { ...SELLS, answer: 'broken' }, { path: 'b' })).toEqual(['cut off']);
  expect(await buy(world, SELLS, { key: 'order-1', path: 'c' })).toEqual(['goods']);
  world.setClock(days * DAY_MS);
  await buy(world, SELLS, { path: 'other' });
  world.setClock(0);
  await buy(world, SELLS);
  await buy(world, SELLS, { path: 'b' });
  await buy(world, SELLS, { key: 'order-1', path: 'c' });
  expect(world.given.size).toBe(4);
});

test('a clock that is set back opens no day again, and the refusal says so', async () => {
  let nowMs = 1_794_872_400_000;
  const limits = { perRequest: '0.01', perHost: '1', perDay: '0.01' };
  const { agent, codeOf } = agentFor([() => asks(OFFER), ok, () => asks(OFFER)], {
    limits,
    ports: { nowMs: () => nowMs },
  });
  expect(await codeOf(URL_OF_SELLER, keyed('', 'order-1'))).toBe(200);
  const { day } = await agent.spending();
  nowMs -= DAY_MS;
  await expect(agent.fetch(URL_OF_SELLER, keyed('', 'order-2'))).rejects.toThrow(
    `left 0 on ${day}: the clock is behind`,
  );
  expect(await agent.spending()).toMatchObject({ day, total: '0.01' });
});

test('a name with a dot at its end has no limit of its own', async () => {
  const limits = { perRequest: '1', perHost: { 'API.example.': '0.01' }, perDay: '1' };
  const { codeOf, signed } = agentFor([() => asks(OFFER), ok, () => asks(OFFER), ok], { limits });
  expect(await codeOf(URL_OF_SELLER)).toBe(200);
  expect(await codeOf('https://api.example./other')).toBe('limit_host');
  expect(signed.length).toBe(1);
});

test('what was bought is fetched from another origin, without the payment and what is said to the seller alone', async () => {
  const away = (location: string) => () => new Response(null, { status: 302, headers: { location } });
  const init = { headers: { authorization: 'Bearer a', cookie: 'b=c', accept: 'text/plain' } };
  const { agent, sent } = agentFor([() => asks(OFFER), away('https://cdn.example/goods'), ok]);
  const { response, paid } = await agent.pay(URL_OF_SELLER, init);
  expect([await response.text(), paid?.amount]).toEqual(['goods', '0.01']);
  expect(sent.map(({ url }) => url)).toEqual([URL_OF_SELLER, URL_OF_SELLER, 'https://cdn.example/goods']);
  expect(Object.fromEntries(sent[2]?.headers ?? [])).toEqual({ accept: 'text/plain' });
  const plain = agentFor([() => asks(OFFER), away('http://cdn.example/goods')]);
  expect(await plain.codeOf()).toBe('redirected');
  expect(plain.sent.length).toBe(2);
});

test('the domain of every known dollar token is the service’s own, and an offer that names another one is not signed', async () => {
  const findToken = agentTokens([]);
  const dollars = TOKENS.filter(({ network, price }) => network.startsWith('eip155:') && price === 'fixed');
  for (const { network, address, domain } of dollars) expect(findToken(network, address)).toMatchObject({ ...domain });
  for (const extra of [
    { name: 'USDC', version: '2' },
    { name: 'USD Coin', version: '1' },
  ]) {
    const { codeOf, signed } = agentFor([() => asks({ ...OFFER, extra }), ok]);
    expect([await codeOf(), signed.length]).toEqual(['nothing_payable', 0]);
  }
  const unnamed = (asset: string) => () => asks({ ...OFFER, asset, extra: {} });
  expect(await agentFor([unnamed(OFFER.asset), ok]).codeOf()).toBe(200);
  const token = { network: OFFER.network, asset: `0x${'99'.repeat(20)}`, decimals: 6 };
  expect(await agentFor([unnamed(token.asset), ok], { tokens: [token] }).codeOf()).toBe('nothing_payable');
});

const PAYABLE = 'https://pay.example/pay/pi_1';

test('the payable address of an intent is paid with its secret, which whoever approves does not see', async () => {
  const asked: PaymentProposal[] = [];
  const approve = { above: '0', ask: async (one: PaymentProposal) => asked.push(one) > 0 };
  // As our route answers: version 2 in the header, version 1 in the body, and the address without its secret as resource.
  const v1 = { ...OFFER, network: 'base', maxAmountRequired: OFFER.amount, resource: PAYABLE };
  const both = () =>
    new Response(JSON.stringify({ x402Version: 1, error: 'payment_required', accepts: [v1] }), {
      status: 402,
      headers: challenge({ resource: { url: PAYABLE } }).headers,
    });
  const onlyV1 = () => Response.json({ x402Version: 1, error: 'payment_required', accepts: [v1] }, { status: 402 });
  for (const answer of [both, onlyV1]) {
    const { codeOf, sent } = agentFor([answer, ok], { approve });
    expect(await codeOf(`${PAYABLE}?client_secret=hush`)).toBe(200);
    expect(paidHeaders(sent).length).toBe(1);
    expect(sent[1]?.url).toBe(`${PAYABLE}?client_secret=hush`);
  }
  expect(asked.map(({ url }) => url)).toEqual(Array<string>(2).fill(`${PAYABLE}?client_secret=redacted`));
});
