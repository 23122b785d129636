// Stock sellers sell through our facilitator routes, to stock buyers, on a real chain. Each program is a process of its own.
import { BASE_SEPOLIA_CHAIN_ID } from '@svc-pay/evm/local';
import { afterAll, describe, expect, test } from 'vitest';
import { openDirectShop, readerHasToken } from '../e2e/direct-shop.ts';
import { startWorld } from '../e2e/start-world.ts';
import { type Peer, startPeer } from './start-peer.ts';
import { requirementsAt, signPayment } from './stock-payment.ts';

const world = await startWorld({ chainId: BASE_SEPOLIA_CHAIN_ID });
const { chain, database, apiUrl } = world;
const shop = await openDirectShop(world, 'exclusive');
await readerHasToken(world);

const peers: Peer[] = [];
afterAll(() => Promise.all(peers.map((peer) => peer.stop())));

async function newBuyer(program = 'buyer'): Promise<Peer & { readonly address: string }> {
  const { account, privateKey } = await chain.newKey();
  await chain.mint(chain.tokens.usdc, account.address, 10_000_000n);
  const peer = await startPeer(program, { privateKey });
  peers.push(peer);
  return { ...peer, address: account.address.toLowerCase() };
}

async function newSeller(kind: string): Promise<Peer & { readonly url: string }> {
  const peer = await startPeer('seller', {
    kind,
    facilitator: `${apiUrl}/x402`,
    secretKey: shop.secretKey,
    payTo: shop.wallet,
    asset: chain.tokens.usdc,
  });
  peers.push(peer);
  return { ...peer, url: String(peer.ready['url']) };
}

type Bought = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly paid?: readonly string[];
  readonly thrown?: string;
};
type Settled = { readonly success: boolean; readonly transaction: string; readonly errorReason?: string };
type SeenCall = { readonly name: string; readonly answer?: Settled & { readonly isValid?: boolean } };
type Seen = { readonly runs: number; readonly calls: readonly SeenCall[] };

const decoded = (header: string | undefined): Settled =>
  JSON.parse(Buffer.from(header ?? '', 'base64').toString()) as Settled;

/** The payments of a payer, as stored, with the way their intents were made. */
async function paymentsOf(payer: string) {
  const { rows } = await database.pool.query<{
    status: string;
    amount: string;
    transaction_id: string;
    created_with: string;
    events: string[];
  }>(
    `select payment.status, payment.amount::text, payment.transaction_id,
       intent.service_metadata ->> 'svc_created_with' as created_with,
       array(select type::text from svc.events where intent_id = intent.id order by sequence) as events
     from svc.payments payment
     join svc.intents intent on intent.account_id = payment.account_id and intent.mode = payment.mode
       and intent.id = payment.intent_id
     where payment.payer = $1 and payment.account_id = $2 order by payment.id`,
    [payer, shop.accountId],
  );
  return rows;
}

const balanceOf = (address: string) => chain.balanceOf(chain.tokens.usdc, address as `0x${string}`);

const KINDS = ['express', 'hono', 'next', 'express-v1', 'mppx'] as const;
type Seller = Awaited<ReturnType<typeof newSeller>>;
// Some packages take seconds to load, so all programs start together.
const [buyer, mppxBuyer, ...started] = await Promise.all([newBuyer(), newBuyer('mppx-buyer'), ...KINDS.map(newSeller)]);
const sellers = Object.fromEntries(KINDS.map((kind, index) => [kind, started[index]])) as Record<
  (typeof KINDS)[number],
  Seller
>;

describe('a stock buyer gets the goods for one payment, which is in the books', () => {
  const cases: [string, (typeof KINDS)[number], 'fetch' | 'axios' | 'v1', string][] = [
    ['@x402/express', 'express', 'fetch', 'payment-response'],
    ['@x402/express', 'express', 'axios', 'payment-response'],
    ['@x402/hono', 'hono', 'fetch', 'payment-response'],
    ['@x402/next', 'next', 'fetch', 'payment-response'],
    ['x402-express (version 1)', 'express-v1', 'v1', 'x-payment-response'],
    ['mppx, to an x402 client', 'mppx', 'fetch', 'payment-response'],
  ];
  test.each(cases)('%s', async (_, kind, client, header) => {
    const seller = sellers[kind];
    const before = await paymentsOf(buyer.address);
    const walletBefore = await balanceOf(shop.wallet);
    const bought = await buyer.ask<Bought>(client, { url: `${seller.url}/paid` });
    expect(bought, seller.problems()).toMatchObject({ status: 200 });
    const settled = decoded(bought.headers[header]);
    expect(settled).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    const [payment, ...others] = (await paymentsOf(buyer.address)).slice(before.length);
    expect(others).toEqual([]);
    expect(payment).toMatchObject({
      status: 'completed',
      amount: '10000',
      transaction_id: settled.transaction,
      created_with: 'x402',
      events: expect.arrayContaining(['payment_intent.created', 'payment.completed']),
    });
    expect(await balanceOf(shop.wallet)).toBe(walletBefore + 10_000n);
  });

  test('mppx, to its own client', async () => {
    const { url, problems } = sellers.mppx;
    const bought = await mppxBuyer.ask<Bought>('fetch', { url: `${url}/paid` });
    expect(bought, problems()).toMatchObject({ status: 200 });
    expect(await paymentsOf(mppxBuyer.address)).toMatchObject([{ status: 'completed', amount: '10000' }]);
  });
});

describe('one payload', () => {
  const { url, ask } = sellers.express;
  const PAYMENT = 'payment-signature';
  /** A payment that bought once. */
  async function spent(): Promise<string> {
    const { status, paid = [] } = await buyer.ask<Bought>('fetch', { url: `${url}/paid` });
    expect(status).toBe(200);
    return paid[0] ?? '';
  }
  const send = (payment: string, path = '/paid') => fetch(`${url}${path}`, { headers: { [PAYMENT]: payment } });

  test('that has bought runs no handler again, of this resource or of another one of the same price', async () => {
    const payment = await spent();
    const before = await ask<Seen>('seen');
    for (const path of ['/paid', '/also']) expect((await send(payment, path)).status).toBe(402);
    const { runs, calls } = await ask<Seen>('seen');
    expect(runs).toBe(before.runs);
    const invalidReason = 'duplicate_settlement';
    const refused = { name: 'verify', answer: { isValid: false, invalidReason } };
    expect(calls).toMatchObject([refused, refused]);
  });

  test('sent eight times at once runs one handler and pays once', async () => {
    await ask('set', { delayMs: 300 });
    const before = await ask<Seen>('seen');
    const paidBefore = (await paymentsOf(buyer.address)).length;
    // The buyer's own request is the first of the eight: the others repeat its header while the handler works.
    const first = buyer.ask<Bought>('fetch', { url: `${url}/paid`, repeats: 7 });
    expect((await first).status).toBe(200);
    await ask('set', { delayMs: 0 });
    const { runs } = await ask<Seen>('seen');
    expect(runs).toBe(before.runs + 1);
    expect((await paymentsOf(buyer.address)).length).toBe(paidBefore + 1);
  });

  test('whose handler failed is not settled', async () => {
    await ask('set', { fails: true });
    const paidBefore = (await paymentsOf(buyer.address)).length;
    const bought = await buyer.ask<Bought>('fetch', { url: `${url}/paid` });
    await ask('set', { fails: false });
    expect(bought.status).toBe(500);
    expect((await paymentsOf(buyer.address)).length).toBe(paidBefore);
  });

  test('settled again is a duplicate with the transaction of its payment', async () => {
    const payment = JSON.parse(Buffer.from(await spent(), 'base64').toString());
    const { calls } = await ask<Seen>('seen');
    const { transaction } = calls.findLast(({ name }) => name === 'settle')?.answer ?? {};
    const again = await ask<Settled>('call', { name: 'settle', payload: payment, requirements: payment.accepted });
    expect(again).toMatchObject({ success: false, errorReason: 'duplicate_settlement', transaction });
  });
});

test('a wrong payTo is refused in words that name the right one', async () => {
  const { account } = await chain.newKey();
  await chain.mint(chain.tokens.usdc, account.address, 10_000_000n);
  const payment = await signPayment(account, await requirementsAt(`${sellers.express.url}/paid`));
  const accepted = { ...payment.accepted, payTo: buyer.address };
  const given = { name: 'verify', payload: { ...payment, accepted }, requirements: accepted };
  expect(await sellers.express.ask('call', given)).toMatchObject({
    isValid: false,
    invalidMessage: expect.stringContaining(shop.wallet),
  });
});
