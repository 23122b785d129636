// Unlucky and hostile cases of stock sellers and buyers: whatever happens to answers, connections, signatures and tokens,
// one payment moves money once, runs one handler, and is called paid only if the whole amount arrived.
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTokenOdd, type TokenOddity } from '@svc-pay/evm/testing';
import { type Address, concat, createTestClient, encodeAbiParameters, type Hex, http, publicActions } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DirectShop, openDirectShop, readerHasToken } from '../e2e/direct-shop.ts';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { startWorld } from '../e2e/start-world.ts';
import { submitDirectly } from '../e2e/stranger.ts';
import type { Signer } from '../e2e/wallet.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type Peer, startPeer } from './start-peer.ts';
import { askFacilitator, buyWith, headerOf, requirementsAt, type StockPayment, signPayment } from './stock-payment.ts';

const PRICE = 10_000n;
/** How long a settle is held here: a payment that is neither paid nor refused is told as pending after it. */
const SELLER_WAIT_MS = 5_000;
const world = await startWorld({ api: { SVC_API_SELLER_WAIT_MS: String(SELLER_WAIT_MS) } });
const { chain, database, apiUrl } = world;
const token = chain.tokens.usdc;
const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).extend(publicActions);

let shop: DirectShop;
let facilitator: { readonly url: string; readonly secretKey: string };
let proxy: FaultProxy;
let seller: Peer;
let url: string;

beforeAll(async () => {
  shop = await openDirectShop(world, 'exclusive');
  await readerHasToken(world);
  facilitator = { url: `${apiUrl}/x402`, secretKey: shop.secretKey };
  proxy = await startFaultProxy(facilitator.url);
  seller = await startPeer('counting-seller', sellerSettings(proxy.url));
  url = String(seller.ready['url']);
});
afterAll(async () => {
  await seller.stop();
  proxy.stop();
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const sellerSettings = (facilitatorUrl: string) => ({
  facilitatorUrl,
  secretKey: shop.secretKey,
  network: chain.network,
  payTo: shop.wallet,
  asset: token,
  amount: PRICE.toString(),
  extra: { name: 'USD Coin' },
});

async function newPayer(): Promise<Signer> {
  const { account } = await chain.newKey();
  await chain.mint(token, account.address, PRICE * 10n);
  return account;
}

const paymentFor = async (path: '/a' | '/b', signer?: Signer) =>
  signPayment(signer ?? (await newPayer()), await requirementsAt(`${url}${path}`));
const received = () => chain.balanceOf(token, shop.wallet);
const runs = () => seller.ask<Readonly<Record<'/a' | '/b', number>>>('runs');

/** What a step changed: money that arrived, and handlers that ran. */
async function changesOf<Answer>(step: () => Promise<Answer>) {
  const [heldBefore, runsBefore] = [await received(), await runs()];
  const answer = await step();
  const [held, ran] = [await received(), await runs()];
  return {
    answer,
    moved: held - heldBefore,
    ran: { a: ran['/a'] - runsBefore['/a'], b: ran['/b'] - runsBefore['/b'] },
  };
}

/** Repeats a settle for as long as it is told that the payment is pending. */
async function settleUntilKnown(payment: StockPayment) {
  let answer = await askFacilitator(facilitator, 'settle', payment);
  while (answer.body['errorReason'] === 'settlement_pending')
    answer = await askFacilitator(facilitator, 'settle', payment);
  return answer;
}

const paymentsOf = async ({ payload }: StockPayment) => {
  const { rows } = await database.pool.query<{ status: string }>(
    `select p.status from svc.payments p join svc.authorizations a
       on a.account_id = p.account_id and a.mode = p.mode and a.intent_id = p.intent_id
     where lower(a.payer) = lower($1)`,
    [payload.authorization.from],
  );
  return rows.map(({ status }) => status);
};

describe('answers that are lost', () => {
  test('settle, then timeout: the settlement goes on, and the same settle again is told its outcome', async () => {
    const payment = await paymentFor('/a');
    await askFacilitator(facilitator, 'verify', payment);
    const { answer, moved } = await changesOf(async () => {
      await world.settlement.kill('SIGKILL');
      const lost = askFacilitator(facilitator, 'settle', payment, AbortSignal.timeout(1_500));
      await expect(lost).rejects.toThrow(/timeout|aborted/i);
      await world.settlement.start();
      return settleUntilKnown(payment);
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, transaction: expect.stringMatching(/^0x.{64}$/) },
    });
    expect(moved).toBe(PRICE);
    expect(await paymentsOf(payment)).toEqual(['completed']);
  });

  test('calls that arrive while the settlement runs join it: one payment, one transaction', async () => {
    const payment = await paymentFor('/a');
    const { answer, moved } = await changesOf(() =>
      Promise.all(Array.from({ length: 5 }, () => askFacilitator(facilitator, 'settle', payment))),
    );
    const told = answer.map(({ body }) => body);
    expect(told.filter(({ success }) => success)).not.toEqual([]);
    expect(new Set(told.map(({ transaction }) => transaction)).size).toBe(1);
    for (const { success, errorReason } of told) expect(success || errorReason === 'duplicate_settlement').toBe(true);
    expect(moved).toBe(PRICE);
  });

  test.each<['lost' | 502]>([['lost'], [502]])(
    '5xx or no answer (%s) after settle: the buyer is not made to pay twice',
    async (fault) => {
      const payment = await paymentFor('/a');
      const { answer, moved, ran } = await changesOf(async () => {
        proxy.faultNext('/settle', fault);
        const first = await buyWith(`${url}/a`, payment);
        const again = await buyWith(`${url}/a`, payment);
        return { first, again, settled: await askFacilitator(facilitator, 'settle', payment) };
      });
      expect(answer.first.status).not.toBe(200);
      expect(answer.again.status).not.toBe(200);
      expect(answer.settled.body).toMatchObject({
        success: false,
        errorReason: 'duplicate_settlement',
        transaction: expect.stringMatching(/^0x.{64}$/),
      });
      expect({ moved, ran }).toEqual({ moved: PRICE, ran: { a: 1, b: 0 } });
      expect(await paymentsOf(payment)).toEqual(['completed']);
    },
  );
});

describe('one payload, one handler', () => {
  test('20 requests with one payload: one handler runs, one buyer is served', async () => {
    const payment = await paymentFor('/a');
    const { answer, moved, ran } = await changesOf(() =>
      Promise.all(Array.from({ length: 20 }, () => buyWith(`${url}/a`, payment))),
    );
    expect(answer.filter(({ status }) => status === 200)).toHaveLength(1);
    expect({ moved, ran }).toEqual({ moved: PRICE, ran: { a: 1, b: 0 } });
  });

  test('a payload for one resource does not buy another of the same price', async () => {
    const payment = await paymentFor('/a');
    const { answer, moved, ran } = await changesOf(() =>
      Promise.all(['/a', '/b', '/b'].map((path) => buyWith(`${url}${path}`, payment))),
    );
    expect(answer.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(ran.a + ran.b).toBe(1);
    expect(moved).toBe(PRICE);
    const later = await changesOf(() => buyWith(`${url}/b`, payment));
    expect(later).toMatchObject({ answer: { status: 402 }, moved: 0n, ran: { a: 0, b: 0 } });
  });

  test('a signature that was spent at the token buys nothing', async () => {
    const payment = await paymentFor('/a');
    await submitDirectly(world, { paymentHeader: headerOf(payment) } as Parameters<typeof submitDirectly>[1]);
    const { answer, ran } = await changesOf(() => buyWith(`${url}/a`, payment));
    expect(answer.status).toBe(402);
    expect(ran).toEqual({ a: 0, b: 0 });
  });

  test('another account can’t verify or settle a payload that pays this one', async () => {
    const rival = await openDirectShop(world, 'exclusive');
    const payment = await paymentFor('/a');
    const thief = { url: facilitator.url, secretKey: rival.secretKey };
    expect(await askFacilitator(thief, 'verify', payment)).toMatchObject({ body: { isValid: false } });
    expect(await askFacilitator(thief, 'settle', payment)).toMatchObject({ body: { success: false } });
    expect((await buyWith(`${url}/a`, payment)).status).toBe(200);
  });
});

describe('headers and caches', () => {
  test('two payments in one request to a seller: neither is used', async () => {
    const payments = [await paymentFor('/a'), await paymentFor('/a')];
    const { answer, moved, ran } = await changesOf(() =>
      fetch(`${url}/a`, { headers: payments.map((payment) => ['PAYMENT-SIGNATURE', headerOf(payment)]) }),
    );
    expect(answer.status).toBe(402);
    expect({ moved, ran }).toEqual({ moved: 0n, ran: { a: 0, b: 0 } });
  });

  test('no cache may keep a paid answer or a 402, nor an answer of the facilitator', async () => {
    const unpaid = await fetch(`${url}/a`);
    expect(unpaid.headers.get('cache-control')).toMatch(/no-store/);
    const paid = await buyWith(`${url}/a`, await paymentFor('/a'));
    expect(paid).toMatchObject({ status: 200, cacheControl: expect.stringMatching(/private|no-store/) });
    const authorization = `Bearer ${shop.secretKey}`;
    for (const [method, path] of [
      ['GET', 'supported'],
      ['POST', 'verify'],
      ['POST', 'settle'],
    ] as const) {
      const answer = await fetch(`${facilitator.url}/${path}`, {
        method,
        headers: { authorization, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        ...(method === 'POST' && { body: '{}' }),
      });
      expect([path, answer.headers.get('cache-control')]).toEqual([path, expect.stringMatching(/no-store/)]);
    }
  });
});

describe('our own intents, paid by stock buyers', () => {
  const payUrlOf = async () => {
    const response = await fetch(`${apiUrl}/sdk/public/payments/intents/x402`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.publishableKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: PRICE.toString(), tokenShortcode: 'anvil_usdc' }),
    });
    const payUrl = response.headers.get('x-svc-pay-url');
    if (response.status !== 402 || payUrl === null) throw new Error(`${response.status}: ${await response.text()}`);
    return payUrl;
  };
  const paymentAt = async (payUrl: string) => signPayment(await newPayer(), await requirementsAt(payUrl));

  test('20 requests with one payload pay once and all get the same transaction', async () => {
    const payUrl = await payUrlOf();
    const payment = await paymentAt(payUrl);
    const { answer, moved } = await changesOf(() =>
      Promise.all(Array.from({ length: 20 }, () => buyWith(payUrl, payment))),
    );
    expect(new Set(answer.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answer.map(({ settled }) => settled?.['transaction'])).size).toBe(1);
    expect(moved).toBe(PRICE);
  });

  test('a payload for one intent does not pay another of the same price', async () => {
    const [first, other] = [await payUrlOf(), await payUrlOf()];
    const payment = await paymentAt(first);
    expect((await buyWith(other, payment)).status).not.toBe(200);
    expect((await buyWith(first, payment)).status).toBe(200);
    const { answer, moved } = await changesOf(() => buyWith(other, payment));
    expect(answer.status).not.toBe(200);
    expect(moved).toBe(0n);
  });

  test('two payments in one request are refused by name, and either still pays', async () => {
    const payUrl = await payUrlOf();
    const payments = [await paymentAt(payUrl), await paymentAt(payUrl)] as const;
    const [one, two] = payments.map(headerOf) as [string, string];
    const { answer, moved } = await changesOf(() =>
      Promise.all([
        fetch(payUrl, {
          headers: [
            ['PAYMENT-SIGNATURE', one],
            ['PAYMENT-SIGNATURE', two],
          ],
        }),
        fetch(payUrl, { headers: { 'PAYMENT-SIGNATURE': one, 'X-PAYMENT': two } }),
      ]),
    );
    for (const response of answer) {
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('PAYMENT-SIGNATURE');
    }
    expect(moved).toBe(0n);
    expect((await buyWith(payUrl, payments[1])).status).toBe(200);
  });

  test('no cache may keep a 402, a refusal or a paid answer', async () => {
    const payUrl = await payUrlOf();
    const payment = await paymentAt(payUrl);
    const unreadable = fetch(payUrl, { headers: { 'PAYMENT-SIGNATURE': 'e30=' } });
    const kept = [await fetch(payUrl), await unreadable].map(({ headers }) => headers.get('cache-control'));
    kept.push((await buyWith(payUrl, payment)).cacheControl, (await buyWith(payUrl, payment)).cacheControl);
    expect(kept).toEqual(kept.map(() => expect.stringMatching(/no-store/)));
  });

  test('an undeployed wallet is told so, and the same intent may still be paid', async () => {
    const payUrl = await payUrlOf();
    const { account: wallet } = await chain.newKey();
    await chain.mint(token, wallet.address, PRICE);
    const signed = await paymentAt(payUrl);
    const authorization = { ...signed.payload.authorization, from: wallet.address };
    const signature = wrapped(`0x${'fa'.repeat(20)}`, signed.payload.signature);
    const refused = await buyWith(payUrl, { ...signed, payload: { authorization, signature } });
    expect(refused).toMatchObject({
      status: 402,
      settled: {
        success: false,
        errorReason: 'invalid_exact_evm_payload_undeployed_smart_wallet',
        errorMessage: expect.stringMatching(/wallet_not_deployed.*deploy/),
      },
    });
    expect((await buyWith(payUrl, signed)).status).toBe(200);
  });
});

describe('hostile tokens and wallets', () => {
  const withOddToken = async (oddity: TokenOddity, step: (payment: StockPayment) => Promise<void>) => {
    const payment = await paymentFor('/a');
    const restore = await makeTokenOdd(chain.rpcUrl, token, oddity);
    try {
      await step(payment);
    } finally {
      await restore();
    }
  };
  test('a token that keeps a fee: less than the amount is never called success', async () => {
    await withOddToken('fee on transfer', async (payment) => {
      const { answer, moved } = await changesOf(() => askFacilitator(facilitator, 'settle', payment));
      expect(moved).toBeLessThan(PRICE);
      expect(answer.body['success']).not.toBe(true);
      expect(await paymentsOf(payment)).not.toContain('completed');
    });
  });

  test('a token that does not revert for a used nonce: the second use is never called success', async () => {
    await withOddToken('used nonce without revert', async (payment) => {
      await submitDirectly(world, { paymentHeader: headerOf(payment) } as Parameters<typeof submitDirectly>[1]);
      const { answer, moved } = await changesOf(async () => ({
        verified: await askFacilitator(facilitator, 'verify', payment),
        settled: await askFacilitator(facilitator, 'settle', payment),
      }));
      expect(moved).toBe(0n);
      expect(answer.verified.body['isValid']).toBe(false);
      expect(answer.settled.body['success']).not.toBe(true);
      expect(await paymentsOf(payment)).not.toContain('completed');
    });
  });

  test('a wallet that is not deployed is refused by name, and its factory is never called', async () => {
    // Stores its caller: whoever calls it leaves a trace.
    const factory: Address = `0x${'fa'.repeat(20)}`;
    await node.setCode({ address: factory, bytecode: '0x3360005500' });
    const { account: signer } = await chain.newKey();
    const { account: wallet } = await chain.newKey();
    await chain.mint(token, wallet.address, PRICE);
    const signed = await signPayment(signer, await requirementsAt(`${url}/a`), wallet.address);
    const payment = {
      ...signed,
      payload: { ...signed.payload, signature: wrapped(factory, signed.payload.signature) },
    };
    const { answer, ran } = await changesOf(async () => ({
      bought: await buyWith(`${url}/a`, payment),
      verified: await askFacilitator(facilitator, 'verify', payment),
      settled: await askFacilitator(facilitator, 'settle', payment),
    }));
    const reason = 'invalid_exact_evm_payload_undeployed_smart_wallet';
    expect(answer).toMatchObject({
      bought: { status: 402 },
      verified: { body: { isValid: false, invalidReason: reason, invalidMessage: expect.stringMatching(/deploy/) } },
      settled: { body: { success: false, errorReason: reason, errorMessage: expect.stringMatching(/deploy/) } },
    });
    expect(ran).toEqual({ a: 0, b: 0 });
    expect(await node.getStorageAt({ address: factory, slot: '0x0' })).toMatch(/^0x0+$/);
  });

  test('a key that delegates to a wallet (EIP-7702) pays if that wallet agrees, and only then', async () => {
    const says = { yes: '0x631626ba7e60e01b60005260206000f3', no: '0x63ffffffff60e01b60005260206000f3' } as const;
    for (const [word, status] of [
      ['yes', 200],
      ['no', 402],
    ] as const) {
      const target: Address = word === 'yes' ? `0x${'d1'.repeat(20)}` : `0x${'d2'.repeat(20)}`;
      await node.setCode({ address: target, bytecode: says[word] });
      const payer = await newPayer();
      await node.setCode({ address: payer.address, bytecode: concat(['0xef0100', target]) });
      expect([word, (await buyWith(`${url}/a`, await paymentFor('/a', payer))).status]).toEqual([word, status]);
    }
  });
});

describe('a chain that stands still', () => {
  test('pending: the stock seller settles once more, joins the same settlement, and serves its buyer', async () => {
    const payment = await paymentFor('/a');
    const { answer, moved, ran } = await changesOf(async () => {
      await node.setIntervalMining({ interval: 0 });
      const bought = buyWith(`${url}/a`, payment);
      await sleep(SELLER_WAIT_MS + 1_000);
      await node.setIntervalMining({ interval: 1 });
      return bought;
    });
    expect(answer).toMatchObject({ status: 200, settled: { success: true } });
    expect({ moved, ran }).toEqual({ moved: PRICE, ran: { a: 1, b: 0 } });
    expect(await paymentsOf(payment)).toEqual(['completed']);
  });
});

/** ERC-6492: the factory and its call, the inner signature, and the mark at the end. */
function wrapped(factory: Address, signature: Hex): Hex {
  const parts = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;
  return concat([encodeAbiParameters(parts, [factory, '0xdeadbeef', signature]), `0x${'6492'.repeat(16)}`]);
}
