import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { expect, test } from 'vitest';
import { agentWorld, PAYER, USDC } from '../testing/agent-world.ts';
import { agentFor, asks, challenge, OFFER, ok, paidHeaders, SELLER, URL_OF_SELLER } from '../testing/scripted-agent.ts';
import type { PaymentProposal } from './agent.ts';
import { EMPTY_BOOK } from './spend-book.ts';

test('version 2: the offer is sent back as it came, with resource, extensions and the payment’s own identifier', async () => {
  const offer = { ...OFFER, extra: { ...OFFER.extra, more: 1 } };
  const extensions = { 'payment-identifier': { info: { required: true }, schema: {} }, other: { a: 1 } };
  const { codeOf, sent } = agentFor([() => challenge({ accepts: [offer], extensions }), ok]);
  expect(await codeOf()).toBe(200);
  const payment = JSON.parse(Buffer.from(paidHeaders(sent)[0] ?? '', 'base64').toString()) as object;
  expect(payment).toMatchObject({
    x402Version: 2,
    accepted: offer,
    resource: { url: URL_OF_SELLER },
    extensions: {
      'payment-identifier': { info: { required: true, id: expect.stringMatching(/^pay_\w{32}$/) } },
      other: { a: 1 },
    },
    payload: { authorization: { from: PAYER, to: SELLER, value: '10000', validBefore: '1794872700' } },
  });
});

test('what is signed is the known token’s, on the offer’s chain, to the offer’s recipient', async () => {
  const { codeOf, signed } = agentFor([() => asks(OFFER), ok]);
  await codeOf();
  expect(signed).toMatchObject([
    {
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
      primaryType: 'TransferWithAuthorization',
      message: { from: PAYER, to: SELLER, value: 10_000n },
    },
  ]);
});

test('a window of years is signed as ten minutes', async () => {
  const { codeOf, signed } = agentFor([() => asks({ ...OFFER, maxTimeoutSeconds: 300_000_000 }), ok]);
  await codeOf();
  expect(signed[0]?.message['validBefore']).toBe(1_794_873_000n);
});

test('of several offers the cheapest that may be signed is taken', async () => {
  const others = [
    { ...OFFER, amount: '20000' },
    { ...OFFER, amount: '1', asset: `0x${'99'.repeat(20)}` },
  ];
  const { codeOf, signed } = agentFor([() => asks(...others, OFFER), ok]);
  await codeOf();
  expect(signed[0]?.message['value']).toBe(10_000n);
});

test('a bound nonce is signed as the processor’s, and only if it follows from its terms', async () => {
  const terms = {
    chainId: 8453,
    processor: SELLER,
    token: USDC,
    payoutId: '7',
    merchant: `0x${'33'.repeat(20)}`,
    feeBps: 0,
    splits: [],
    intentCode: '12',
    attempt: 0,
  };
  const svc = { authorizationType: 'ReceiveWithAuthorization', boundNonce: boundNonce(terms), terms };
  const bound = (change: object) => asks({ ...OFFER, extra: { ...OFFER.extra, svc: { ...svc, ...change } } });
  const { codeOf, signed } = agentFor([() => bound({}), ok]);
  expect(await codeOf()).toBe(200);
  expect(signed).toMatchObject([{ primaryType: 'ReceiveWithAuthorization', message: { nonce: boundNonce(terms) } }]);
  const forged = agentFor([() => bound({ boundNonce: `0x${'00'.repeat(32)}` }), ok]);
  expect(await forged.codeOf()).toBe('nothing_payable');
});

test.each([
  ['an unknown token', { asset: `0x${'99'.repeat(20)}` }],
  ['another chain’s token', { network: 'eip155:1' }],
  ['an unknown network', { network: 'eip155:x' }],
  ['Solana', { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }],
  ['up-to', { scheme: 'upto' }],
  ['an unknown scheme', { scheme: 'gift' }],
  ['Permit2', { extra: { ...OFFER.extra, assetTransferMethod: 'permit2' } }],
  ['nobody as recipient', { payTo: `0x${'00'.repeat(20)}` }],
  ['the token as recipient', { payTo: USDC.toLowerCase() }],
  ['the payer as recipient', { payTo: PAYER }],
  ['a name as recipient', { payTo: 'seller.eth' }],
  ['nothing', { amount: '0' }],
  ['a negative amount', { amount: '-1' }],
  ['a fraction', { amount: '0.01' }],
  ['no window', { maxTimeoutSeconds: 0 }],
])('%s is not signed', async (_, change) => {
  const { codeOf, signed, sent } = agentFor([() => asks({ ...OFFER, ...change }), ok]);
  expect(await codeOf()).toBe('nothing_payable');
  expect([signed.length, sent.length]).toEqual([0, 1]);
});

test.each([
  ['no challenge', () => new Response('pay!', { status: 402 })],
  [
    'a header of a megabyte',
    () => new Response('', { status: 402, headers: { 'payment-required': 'A'.repeat(1_000_000) } }),
  ],
  [
    'a body without end',
    () => new Response(new ReadableStream({ pull: (one) => one.enqueue(new Uint8Array(10_000)) }), { status: 402 }),
  ],
  [
    'a body that stops in the middle',
    () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { status: 402 }),
  ],
  ['a version from the future', () => challenge({ x402Version: 3 })],
  ['offers that are no list', () => challenge({ accepts: 'all' })],
])('%s ends the call unpaid', async (_, answer) => {
  const { codeOf, signed } = agentFor([answer]);
  expect(await codeOf()).toBe('challenge_unreadable');
  expect(signed).toEqual([]);
});

test('a 402 that names another host is not paid, unless it is allowed', async () => {
  const elsewhere = () => challenge({ resource: { url: 'https://other.example/weather' } });
  expect(await agentFor([elsewhere, ok]).codeOf()).toBe('nothing_payable');
  expect(await agentFor([elsewhere, ok], { allowOtherResource: true }).codeOf()).toBe(200);
  const proxied = () => challenge({ resource: { url: 'http://api.example/v2/weather' } });
  expect(await agentFor([proxied, ok]).codeOf()).toBe(200);
});

test('a 402 from where a redirect led is not paid', async () => {
  const redirected = () => Object.defineProperty(asks(OFFER), 'url', { value: 'https://thief.example/' });
  const { codeOf, signed } = agentFor([redirected, ok]);
  expect(await codeOf()).toBe('redirected');
  expect(signed).toEqual([]);
});

test('a price that rises after the payment is never signed; the first payment is sent again, and no more than three times', async () => {
  const { codeOf, signed, sent, agent } = agentFor([() => asks(OFFER), () => asks({ ...OFFER, amount: '90000' })]);
  expect(await codeOf()).toBe('payment_refused');
  expect(await codeOf()).toBe('payment_refused');
  expect(signed.length).toBe(1);
  expect(paidHeaders(sent).length).toBe(6);
  expect(new Set(paidHeaders(sent)).size).toBe(1);
  expect(await agent.spending()).toMatchObject({ total: '0.01' });
});

test('an answer that never comes ends the call in time, and the payment counts', async () => {
  const { codeOf, signed, agent } = agentFor([() => asks(OFFER), () => new Promise<Response>(() => {})], {
    maxSends: 2,
  });
  expect(await codeOf()).toBe('answer_lost');
  expect(signed.length).toBe(1);
  expect(await agent.spending()).toMatchObject({ total: '0.01' });
});

test('http addresses of other machines and payments of the caller’s own are refused', async () => {
  const { codeOf, sent } = agentFor([() => asks(OFFER), ok]);
  expect(await codeOf('http://api.example/weather')).toBe('insecure_url');
  expect(await codeOf(URL_OF_SELLER, { headers: { 'x-payment': 'mine' } })).toBe('invalid_request');
  expect(sent).toEqual([]);
});

test('above the threshold a person is asked with what will be signed, before anything is counted', async () => {
  const asked: PaymentProposal[] = [];
  const approve = (answer: boolean) => ({
    above: '0.005',
    ask: async (proposal: PaymentProposal) => {
      asked.push(proposal);
      return answer;
    },
  });
  const refused = agentFor([() => asks(OFFER), ok], { approve: approve(false) });
  expect(await refused.codeOf()).toBe('not_approved');
  expect([refused.signed.length, refused.book()]).toEqual([0, EMPTY_BOOK]);
  expect(await agentFor([() => asks(OFFER), ok], { approve: approve(true) }).codeOf()).toBe(200);
  const below = { ...approve(false), above: '0.01' };
  expect(await agentFor([() => asks(OFFER), ok], { approve: below }).codeOf()).toBe(200);
  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatchObject({
    url: URL_OF_SELLER,
    amount: '0.01',
    payTo: SELLER,
    asset: USDC,
    network: 'eip155:8453',
  });
});

test('a signer that refuses costs nothing, and the next call may sign', async () => {
  let refuses = true;
  const signer = {
    address: PAYER,
    signTypedData: async () => {
      if (refuses) throw new Error('no');
      return `0x${'ab'.repeat(65)}`;
    },
  };
  const { codeOf, agent } = agentFor([() => asks(OFFER), () => asks(OFFER), ok], { signer });
  expect(await codeOf()).toBe('signer_failed');
  expect(await agent.spending()).toMatchObject({ total: '0' });
  refuses = false;
  expect(await codeOf()).toBe(200);
});

test('as a table, limits per host allow only its hosts', async () => {
  const limits = { perRequest: '1', perDay: '1', perHost: { 'api.example': '0.01' } };
  const { codeOf, signed } = agentFor([() => asks(OFFER), ok, () => challenge({ resource: undefined })], { limits });
  expect(await codeOf()).toBe(200);
  expect(await codeOf('https://other.example/')).toBe('host_not_allowed');
  expect(signed.length).toBe(1);
});

test.each([{ perDay: '1,00' }, { perDay: '-1' }, { perRequest: '' }, { perHost: { a: 'x' } }])(
  'an agent with the limit %o is not made',
  (change) => {
    const limits = { perRequest: '1', perHost: '1', perDay: '1', ...change };
    expect(() => agentFor([ok], { limits })).toThrow('no decimal amount');
  },
);

test('a record that can’t be written stops before the signature', async () => {
  const store = { update: async () => Promise.reject(new Error('disk full')) };
  const { codeOf, signed } = agentFor([() => asks(OFFER), ok], { store });
  expect(await codeOf()).toBe('store_failed');
  expect(signed).toEqual([]);
});

test('a keyed purchase is not paid again after its end; one without a key is', async () => {
  const world = agentWorld({ perRequest: '1', perHost: '1', perDay: '1' }, { rpc: false });
  const sells = { version: 2, price: 10_000, answer: 'ok', settles: true } as const;
  const buy = (key?: string) => world.run([{ url: 'https://one.example/a', key }], [sells, sells]);
  expect([await buy('order-1'), await buy()]).toEqual([['goods'], ['goods']]);
  await world.advance(400_000);
  expect([await buy('order-1'), await buy()]).toEqual([['already_paid'], ['goods']]);
  expect(world.given.size).toBe(3);
});

test('a node of another chain can’t show that a payment is unused', async () => {
  let nowMs = 1_794_872_400_000;
  const rpc = (chainId: string) => async (input: string | URL | Request, init?: RequestInit) => {
    if (input === URL_OF_SELLER) return asks(OFFER);
    const { method } = JSON.parse(init?.body as string) as { method: string };
    const results: Record<string, unknown> = {
      eth_chainId: chainId,
      eth_getBlockByNumber: { number: '0x1', timestamp: '0x7fffffff' },
      eth_call: `0x${'0'.repeat(64)}`,
    };
    return Response.json({ jsonrpc: '2.0', id: 1, result: results[method] });
  };
  const { signed, codeOf, agent } = agentFor([], {
    rpcUrls: { 'eip155:8453': 'https://rpc.example/' },
    ports: { nowMs: () => nowMs, fetch: rpc('0x1') },
  });
  expect(await codeOf()).toBe('payment_refused');
  nowMs += 400_000;
  expect(await codeOf()).toBe('payment_expired');
  expect(await agent.reconcile()).toMatchObject({ unknown: 1, unused: 0 });
  expect(signed.length).toBe(1);
});
