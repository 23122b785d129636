// Stock clients and a stock seller on Solana's own virtual machine. The payout has no fee and no splits: a stock client signs
// one transfer.
import { randomBytes } from 'node:crypto';
import { createLocalRelayer, openNode, readTokenBalance } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { afterAll, describe, expect, test } from 'vitest';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { startSolanaWorld } from '../e2e/solana-world.ts';
import { createMatrix } from './matrix.ts';
import { startPeer } from './start-peer.ts';

const PRICE = 500_000n;
const world = await startSolanaWorld({ feeBps: 0, splitBps: [] });
const { apiUrl, shop, solana, relayer } = world;
const { pool } = world.database;
const [merchant = ''] = world.recipients;
const node = openNode(solana.rpcUrl);
const usdcOf = (owner: string) => readTokenBalance([node], owner, DEVNET_USDC);

const secret = randomBytes(32);
const payer = (await createLocalRelayer(secret)).address;
await solana.fundToken(payer, PRICE * 20n);
const buyer = await startPeer('solana-buyer', { secret: secret.toString('hex'), rpcUrl: solana.rpcUrl });
const MEMO = 'order 7';
const seller = await startPeer('solana-seller', {
  facilitatorUrl: `${apiUrl}/x402`,
  key: shop.secretKey,
  payTo: merchant,
  price: '$0.50',
  memo: MEMO,
});

afterAll(async () => {
  await Promise.all([buyer.stop(), seller.stop()]);
  const { output, exitCode } = await ledgerCheck(world);
  await world.stop();
  expect({ output, exitCode }).toMatchObject({ exitCode: 0 });
}, 60_000);

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly paid: readonly string[];
};
type Requirements = {
  readonly amount: string;
  readonly payTo: string;
  readonly extra: Readonly<Record<string, unknown>>;
};
type Challenge = { readonly resource: object; readonly accepts: readonly Requirements[] };

const CREATE = `${apiUrl}/sdk/public/payments/intents/x402`;
const create = (payment?: object): RequestInit => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${shop.publishableKey}`,
    'content-type': 'application/json',
    ...(payment && { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }),
  },
  body: JSON.stringify({ usdAmount: '0.5', tokenShortcode: 'soldevnet_usdc' }),
});
const buy = (given: { url: string; init?: object }) => buyer.ask<Answer>('fetch', given);
const read = (encoded: string | null | undefined): unknown =>
  JSON.parse(Buffer.from(encoded ?? '', 'base64').toString());
const responseIn = (headers: Readonly<Record<string, string>>) => read(headers['payment-response']);

async function newChallenge(): Promise<Challenge & { readonly payUrl: string }> {
  const response = await fetch(CREATE, create());
  expect(response.status).toBe(402);
  const payUrl = response.headers.get('x-svc-pay-url') ?? '';
  return { ...(read(response.headers.get('payment-required')) as Challenge), payUrl };
}

/** What a stock client signs for `requirements`, as a payment of `accepted`. */
async function sign(requirements: Requirements, { resource, accepts: [accepted] }: Challenge): Promise<object> {
  const signed = await buyer.ask<{ payload: object }>('sign', { requirements });
  return { x402Version: 2, payload: signed.payload, accepted, resource };
}

const matrix = createMatrix('solana');
const OURS = 'our intents, at their payable address';
const seen = (client: string, atSeller: string, outcome = 'paid') =>
  matrix.add({ client, seller: atSeller, chain: 'Solana (USDC, @x402/svm)', outcome });

async function balances<Result>(run: () => Promise<Result>): Promise<readonly [Result, bigint, bigint]> {
  const before = await Promise.all([payer, merchant].map(usdcOf));
  const result = await run();
  const after = await Promise.all([payer, merchant].map(usdcOf));
  return [result, (after[0] ?? 0n) - (before[0] ?? 0n), (after[1] ?? 0n) - (before[1] ?? 0n)];
}

describe('@x402/fetch with @x402/svm buys from us', () => {
  test('a payer without SOL pays by repeating the create request, and every unit is the merchant’s', async () => {
    const [answer, ofPayer, ofMerchant] = await balances(() => buy({ url: CREATE, init: create() }));
    expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' }, paid: [expect.any(String)] });
    expect(responseIn(answer.headers)).toMatchObject({
      success: true,
      network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      transaction: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/),
      payer,
    });
    expect([ofPayer, ofMerchant]).toEqual([-PRICE, PRICE]);
    expect((await node.accounts([payer]))[0]).toBeNull();
    const intents = await pool.query(`select status from svc.intents order by created_at desc limit 1`);
    expect(intents.rows).toEqual([{ status: 'completed' }]);
  });

  test('the payable address of an intent is paid without a key', async () => {
    const { payUrl } = await newChallenge();
    const [answer, ofPayer] = await balances(() => buy({ url: payUrl }));
    expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(ofPayer).toBe(-PRICE);
    seen('@x402/fetch (version 2)', OURS);
  });

  test('sent many times at once a payment lands once, and every answer is the same', async () => {
    const challenge = await newChallenge();
    const payment = await sign(challenge.accepts[0]!, challenge);
    const [answers, ofPayer] = await balances(() =>
      Promise.all(Array.from({ length: 8 }, () => fetch(CREATE, create(payment)))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ headers }) => headers.get('payment-response'))).size).toBe(1);
    expect(ofPayer).toBe(-PRICE);
  });

  test('what was signed for one intent pays no other of the same price', async () => {
    const [first, second] = [await newChallenge(), await newChallenge()];
    const [response, ofPayer] = await balances(async () =>
      fetch(CREATE, create(await sign(first.accepts[0]!, second))),
    );
    expect(response.status).toBe(402);
    expect(responseIn(Object.fromEntries(response.headers))).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_svm_payload_transaction',
    });
    // The same intent may still be paid, with a fee payer that can pay now.
    const again = read(response.headers.get('payment-required')) as Challenge;
    expect(again.accepts).toEqual(second.accepts);
    expect(ofPayer).toBe(0n);
  });

  test.each<[string, (requirements: Requirements) => Requirements]>([
    ['less than the price', (of) => ({ ...of, amount: (PRICE - 1n).toString() })],
    ['another recipient', (of) => ({ ...of, payTo: world.feeAccount })],
    ['another fee payer', (of) => ({ ...of, extra: { ...of.extra, feePayer: world.feeAccount } })],
    ['another memo', (of) => ({ ...of, extra: { ...of.extra, memo: MEMO } })],
    ['a blockhash of no block', (of) => ({ ...of, extra: { ...of.extra, recentBlockhash: merchant } })],
  ])('%s is refused, nothing moves, and the relayer signs nothing', async (_name, change) => {
    const challenge = await newChallenge();
    const payment = await sign(change(challenge.accepts[0]!), challenge);
    const lamports = async () => (await node.accounts([relayer]))[0]?.lamports;
    const before = await lamports();
    const [response, ofPayer] = await balances(() => fetch(CREATE, create(payment)));
    expect(response.status).toBe(402);
    expect([ofPayer, await lamports()]).toEqual([0n, before]);
  });

  test('x402-fetch, whose transaction names no intent, is refused', async () => {
    const { payUrl } = await newChallenge();
    const [answer, ofPayer] = await balances(() => buyer.ask<Answer>('older', { url: payUrl }));
    expect(answer).toMatchObject({ status: 402, paid: [expect.any(String)] });
    expect(read(answer.headers['x-payment-response'])).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_svm_payload_transaction',
    });
    expect(ofPayer).toBe(0n);
    seen(
      'x402-fetch (version 1)',
      OURS,
      'not supported: a transaction of version 1 has no memo, so it names no intent',
    );
  });
});

describe('@x402/express with @x402/svm sells through us', () => {
  const url = (route: string) => `${String(seller.ready['url'])}/${route}`;
  const handled = () => seller.ask<number>('handled');

  test.each(['weather', 'order'])(
    '%s: paid once, handled once, with an intent and a payment in the books',
    async (route) => {
      const before = await handled();
      const [answer, ofPayer, ofMerchant] = await balances(() => buy({ url: url(route) }));
      expect(answer).toMatchObject({ status: 200, body: { weather: 'dry' } });
      expect(responseIn(answer.headers)).toMatchObject({ success: true, payer });
      expect([ofPayer, ofMerchant, (await handled()) - before]).toEqual([-PRICE, PRICE, 1]);
      if (route === 'weather') seen('@x402/fetch (version 2)', '@x402/express (version 2)');
      const { rows } = await pool.query(
        `select i.status, a.transfer ->> 'memo' as memo from svc.intents i join svc.authorizations a on a.intent_id = i.id
       order by i.created_at desc limit 1`,
      );
      expect(rows).toEqual([
        { status: 'completed', memo: route === 'order' ? MEMO : expect.stringMatching(/^[0-9a-f]{32}$/) },
      ]);
    },
  );

  test('x402-express sells to x402-fetch, whose transaction has no memo', async () => {
    const [answer, ofPayer] = await balances(() => buyer.ask<Answer>('older', { url: url('older') }));
    expect(answer).toMatchObject({ status: 200, body: { weather: 'dry' } });
    expect(read(answer.headers['x-payment-response'])).toMatchObject({ success: true, payer });
    expect(ofPayer).toBe(-PRICE);
    seen('x402-fetch (version 1)', 'x402-express (version 1)');
  });

  test('a payment that is presented again, also to another route of the same price, runs no second handler', async () => {
    const paid = await buy({ url: url('weather') });
    const before = await handled();
    const headers = { 'payment-signature': paid.paid[0] ?? '' };
    const [statuses, ofPayer] = await balances(() =>
      Promise.all(['weather', 'weather', 'order'].map(async (route) => (await fetch(url(route), { headers })).status)),
    );
    expect(statuses).toEqual([402, 402, 402]);
    expect([ofPayer, (await handled()) - before]).toEqual([0n, 0]);
  });

  test('what was signed for an intent of ours buys nothing from a seller', async () => {
    const challenge = await newChallenge();
    const unpaid = await fetch(url('weather'));
    const sold = read(unpaid.headers.get('payment-required')) as Challenge;
    const payment = await sign(challenge.accepts[0]!, sold);
    const headers = { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') };
    const [response, ofPayer] = await balances(() => fetch(url('weather'), { headers }));
    expect([response.status, ofPayer]).toEqual([402, 0n]);
  });
});

test('what was seen is what the page says', async () => {
  await matrix.expectAsCommitted();
});
