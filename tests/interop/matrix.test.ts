// Every published buyer at every published seller, through our facilitator routes, and at our own intents. What works and
// what does not is the page docs/reference/x402-matrix.md.
import { BASE_SEPOLIA_CHAIN_ID } from '@svc-pay/evm/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DirectShop, openDirectShop, readerHasToken } from '../e2e/direct-shop.ts';
import { startWorld } from '../e2e/start-world.ts';
import { createMatrix } from './matrix.ts';
import { type Peer, startPeer } from './start-peer.ts';

const PRICE = 10_000n;
const CHAIN = 'EVM (USDC, EIP-3009)';
const SELLERS = ['@x402/express', '@x402/hono', '@x402/next', 'x402-express', 'mppx'] as const;
const CLIENTS = { '@x402/fetch': 'fetch', '@x402/axios': 'axios', 'x402-fetch': 'v1' } as const;
/** Version 1 of x402 asks in the body of its 402, version 2 in a header. */
const SPEAKS_V1: ReadonlySet<string> = new Set(['x402-express', 'x402-fetch']);

const named = (name: string) => `${name} (version ${SPEAKS_V1.has(name) ? 1 : 2})`;
const OURS = 'our intents, at their payable address';

/** Pairs that cannot work, whoever the facilitator is. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  '@x402/express x402-fetch': 'not supported: the seller asks in version 2, the buyer reads version 1',
  '@x402/hono x402-fetch': 'not supported: the seller asks in version 2, the buyer reads version 1',
  '@x402/next x402-fetch': 'not supported: the seller asks in version 2, the buyer reads version 1',
  'mppx x402-fetch': 'not supported: the seller asks in version 2, the buyer reads version 1',
};

const world = await startWorld({ chainId: BASE_SEPOLIA_CHAIN_ID });
const { chain, apiUrl } = world;
const matrix = createMatrix('sellers');
let shop: DirectShop;
let sellers: Peer;
let buyer: Peer;

beforeAll(async () => {
  shop = await openDirectShop(world, 'exclusive');
  await readerHasToken(world);
  const { account, privateKey } = await chain.newKey();
  await chain.mint(chain.tokens.usdc, account.address, PRICE * 100n);
  [buyer, sellers] = await Promise.all([
    startPeer('buyer', { privateKey }),
    startPeer('sellers', {
      facilitatorUrl: `${apiUrl}/x402`,
      secretKey: shop.secretKey,
      payTo: shop.wallet,
      price: '$0.01',
      asset: chain.tokens.usdc,
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([buyer?.stop(), sellers?.stop()]);
});

type Bought = { readonly status?: number; readonly thrown?: string; readonly body?: unknown };

/** The payable address of a new intent. */
async function payUrlOf(): Promise<string> {
  const response = await fetch(`${apiUrl}/sdk/public/payments/intents/x402`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.publishableKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: PRICE.toString(), tokenShortcode: 'basesepolia_usdc' }),
  });
  const url = response.headers.get('x-svc-pay-url');
  if (response.status !== 402 || url === null) throw new Error(`${response.status}: ${await response.text()}`);
  return url;
}

describe(`seller ${OURS}`, () => {
  test.each(Object.entries(CLIENTS))('buyer %s', async (client, command) => {
    const url = await payUrlOf();
    const held = await chain.balanceOf(chain.tokens.usdc, shop.wallet);
    const bought = await buyer.ask<Bought>(command, { url });
    matrix.add({ client: named(client), seller: OURS, chain: CHAIN, outcome: 'paid' });
    expect(bought).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect((await chain.balanceOf(chain.tokens.usdc, shop.wallet)) - held).toBe(PRICE);
  });
});

describe.each(SELLERS)('seller %s', (seller) => {
  test.each(Object.entries(CLIENTS))('buyer %s', async (client, command) => {
    const url = (sellers.ready['urls'] as Readonly<Record<string, string>>)[seller];
    const held = await chain.balanceOf(chain.tokens.usdc, shop.wallet);
    const bought = await buyer.ask<Bought>(command, { url });
    const moved = (await chain.balanceOf(chain.tokens.usdc, shop.wallet)) - held;
    const unsupported = UNSUPPORTED[`${seller} ${client}`];
    matrix.add({ client: named(client), seller: named(seller), chain: CHAIN, outcome: unsupported ?? 'paid' });
    if (unsupported === undefined) {
      expect(bought, sellers.problems()).toMatchObject({ status: 200, body: { goods: seller } });
      expect(moved).toBe(PRICE);
    } else {
      expect(bought.status).not.toBe(200);
      expect(moved).toBe(0n);
    }
  });
});

test('what was seen is what the page says', async () => {
  await matrix.expectAsCommitted();
});
