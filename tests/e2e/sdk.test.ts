import { createSvcPay, type TransactionDetail } from '@svc-pay/sdk';
import { type Eip1193Provider, evmWallet } from '@svc-pay/sdk/evm';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { startWorld } from './start-world.ts';
import { settleUpto } from './upto-calls.ts';

const world = await startWorld();
const { chain, shop, apiUrl } = world;

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

/** Wallet as a page sees it: starts on another chain, switches on request, reads its node, and signs with its key. */
function walletOf(account: PrivateKeyAccount): Eip1193Provider {
  let chainId = 1;
  return {
    async request({ method, params = [] }) {
      const [first, second] = params as [{ chainId: string }, string];
      if (method === 'eth_requestAccounts') return [account.address];
      if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
      if (method === 'wallet_switchEthereumChain') {
        chainId = Number(first.chainId);
        return null;
      }
      if (method === 'eth_signTypedData_v4') {
        const { types, domain, primaryType, message } = JSON.parse(second);
        return account.signTypedData({ types, domain, primaryType, message });
      }
      const response = await fetch(chain.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return ((await response.json()) as { result: unknown }).result;
    },
  };
}

async function shopper(balance: bigint, token = chain.tokens.usdc, clockErrorMs = 0, send: typeof fetch = fetch) {
  const { account } = await chain.newKey();
  await chain.mint(token, account.address, balance);
  const pay = createSvcPay({
    baseUrl: apiUrl,
    publishableKey: shop.publishableKey,
    wallet: evmWallet({ provider: walletOf(account) }),
    ports: { nowMs: () => Date.now() + clockErrorMs, fetch: send },
  });
  const heard: [string, TransactionDetail][] = [];
  for (const name of ['created', 'updated', 'completed', 'failed', 'mismatched'] as const) {
    pay.on(`svc-sdk-transaction-${name}`, (detail) => heard.push([name, detail]));
  }
  return { account, pay, heard, balance: () => chain.balanceOf(token, account.address) };
}

test('a wallet pays through the SDK, and the events say what happened', async () => {
  const { pay, heard, balance } = await shopper(2_000_000n);
  const result = await pay.createPayment({
    usdAmount: '1.5',
    tokenShortcode: 'anvil_usdc',
    expect: { payTo: chain.record.processor },
  });
  expect(result).toMatchObject({ status: 'completed', amount: '1500000', transactionId: expect.stringMatching(/^0x/) });
  expect(await balance()).toBe(500_000n);
  expect(heard.map(([name]) => name)).toEqual(['created', 'updated', 'completed']);
  expect(await pay.waitForPayment(result)).toMatchObject({ status: 'completed', transactionId: result.transactionId });
});

test.each([-10, 10])('a clock %i minutes wrong still pays', async (minutes) => {
  const { pay, balance } = await shopper(1_500_000n, chain.tokens.usdc, minutes * 60_000);
  await pay.createPayment({ usdAmount: 1.5, tokenShortcode: 'anvil_usdc' });
  expect(await balance()).toBe(0n);
});

test('a connection lost after settle was sent: found out by asking, and paid once', async () => {
  let settles = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!(input as string).endsWith('/x402/settle')) return response;
    settles += 1;
    throw new TypeError('the connection was lost');
  };
  const { pay, balance } = await shopper(3_000_000n, chain.tokens.usdc, 0, losing);
  expect(await pay.createPayment({ usdAmount: 1.5, tokenShortcode: 'anvil_usdc' })).toMatchObject({
    status: 'completed',
  });
  expect(settles).toBe(1);
  expect(await balance()).toBe(1_500_000n);
});

test('a token with nothing but Permit is paid twice, each time by the nonce the token tells', async () => {
  const { pay, balance } = await shopper(10n ** 18n, chain.tokens.vol);
  for (let times = 0; times < 2; times += 1) await pay.createPayment({ usdAmount: '1', tokenShortcode: 'anvil_vol' });
  expect(await balance()).toBe(2n * 10n ** 17n);
});

test('without a token named, the one that the payer holds is signed', async () => {
  const { pay } = await shopper(10n ** 18n, chain.tokens.vol);
  expect(await pay.createPayment({ usdAmount: 1 })).toMatchObject({ asset: chain.tokens.vol });
});

test('up-to: the cap is confirmed, the merchant charges, and who waits hears of it', async () => {
  const { pay, heard, balance } = await shopper(5_000_000n);
  const authorization = await pay.createUptoAuthorization({ usdAmount: 5, tokenShortcode: 'anvil_usdc' });
  expect(authorization).toMatchObject({ capAmount: '5000000', status: 'requires_payment' });
  const waiting = pay.waitForPayment(authorization);
  const { paymentIntentId } = authorization;
  const settled = await settleUpto(world, { paymentIntentId, settledAmount: '1250000' });
  expect(settled.body).toMatchObject({ ok: true });
  expect(await waiting).toMatchObject({ status: 'completed', attemptId: authorization.attemptId });
  expect(await balance()).toBe(3_750_000n);
  expect(heard.filter(([name]) => name === 'completed' || name === 'failed')).toHaveLength(1);
});

test('an empty wallet is told so by name, and nothing is sent', async () => {
  const { pay, heard } = await shopper(1n);
  const error = await pay
    .createPayment({ usdAmount: 1, tokenShortcode: 'anvil_usdc' })
    .catch((problem: unknown) => problem);
  expect(error).toMatchObject({ code: 'insufficient_funds', moneyMoved: 'no' });
  expect(heard.map(([name]) => name)).toEqual(['created', 'failed']);
});
