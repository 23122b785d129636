// The test wallet on a real local Internet Computer, which checks every signature.
import { Principal } from '@icp-sdk/core/principal';
import {
  type LocalInternetComputer,
  type LocalLedger,
  openLedgerClient,
  startLocalInternetComputer,
} from '@svc-pay/icp/local';
import { icpWallet } from '@svc-pay/sdk/icp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newIcpKey } from './icp-key.ts';
import { createIcpTestWallet } from './icp-test-wallet.ts';

const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const MERCHANT = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';

let ic: LocalInternetComputer;
let ledger: LocalLedger;

beforeAll(async () => {
  ic = await startLocalInternetComputer();
  ledger = await ic.installLedger({ canisterId: LEDGER });
});
afterAll(() => ic.stop());

async function payer(confirm: () => Promise<boolean>, change: object = {}) {
  const key = newIcpKey();
  const owner = Principal.fromText(key.principal);
  await ledger.mint({ owner, subaccount: [] }, 1_000_000n);
  const client = await openLedgerClient(ic, ledger.canisterId);
  const signer = createIcpTestWallet({ ...key, url: ic.url, confirm, nowMs: ic.nowMs, ...change });
  const { payRegularly } = icpWallet({ signer });
  const option = {
    kind: 'icrc1_transfer' as const,
    network: 'icp:local',
    token: LEDGER,
    tokenShortcode: 'iclocal_ckusdc',
    decimals: 6,
    amount: '250000',
    expiresAt: '2031-01-01T00:00:00.000Z',
    ledgerCanisterId: LEDGER,
    to: { owner: MERCHANT, subaccount: null, text: MERCHANT },
    memo: '0x7376633a37' as const,
    createdAtTime: ic.nowNanoseconds().toString(),
    fee: '10000',
  };
  const pay = () =>
    payRegularly?.([option], {
      ports: { sleep: () => new Promise(() => {}) } as never,
      signal: new AbortController().signal,
      nowSeconds: () => 0,
      walletTimeoutMs: 60_000,
      paymentIntentId: 'pi_1',
      intentCode: 7,
      windowSeconds: 300,
      signsTypedData: true,
      beforePay: async () => {},
    });
  return { key, pay, balance: () => client.balance({ owner, certified: true }) };
}

test('the wallet signs a transfer that the network takes, and shows its block', async () => {
  const { key, pay, balance } = await payer(async () => true);
  expect(await pay()).toMatchObject({ payer: key.principal, transactionId: expect.stringMatching(/^bkyz2-.*:\d+$/) });
  expect(await balance()).toBe(1_000_000n - 250_000n - 10_000n);
});

test('a payer who says no has called it off', async () => {
  const { pay, balance } = await payer(async () => false);
  await expect(pay()).rejects.toMatchObject({ code: 'signature_refused', moneyMoved: 'no' });
  expect(await balance()).toBe(1_000_000n);
});

test('a call that is signed with another key moves nothing', async () => {
  const { secret } = newIcpKey();
  const { pay, balance } = await payer(async () => true, { secret });
  await expect(pay()).rejects.toMatchObject({ code: 'wallet_failed' });
  expect(await balance()).toBe(1_000_000n);
});
