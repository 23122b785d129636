import type { PayerWallet, RegularCall } from '@svc-pay/sdk';
import { icpWallet } from '@svc-pay/sdk/icp';
import { expect, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { findWallets } from './find-wallets.ts';
import type { PageWallets } from './page-wallets.ts';
import type { WalletQuestion } from './wallet-kind.ts';

const { signal } = new AbortController();
const signer = { accounts: async () => [], callCanister: () => Promise.reject(new Error('not asked')) };
const icp = { name: 'A signer', icon: 'https://elsewhere.example/x.svg', wallet: icpWallet({ signer }) };

async function found(attributes: object, wallets: PageWallets = { icp }) {
  const read = readSettings({
    apiUrl: 'https://pay.example',
    publishableKey: 'pk_test_x',
    usdAmount: '1',
    ...attributes,
  });
  if (!read.ok) throw new Error(read.part);
  return findWallets(read.settings, { provider: undefined, wallets }, signal);
}

test.each<[string, object, number]>([
  ['a token of the Internet Computer', { tokenShortcode: 'iclocal_ckusdc' }, 1],
  ['any token', {}, 1],
  ['a token of an EVM chain', { tokenShortcode: 'base_usdc' }, 0],
  ['a token of Solana', { tokenShortcode: 'sol_usdc' }, 0],
  ['a cap', { mode: 'upto' }, 0],
])('a signer of the page is offered, or not, for %s', async (_, attributes, count) => {
  const offers = await found(attributes);
  expect(offers).toHaveLength(count);
  for (const offer of offers) expect(offer).toMatchObject({ name: 'A signer', note: 'Internet Computer', icon: '' });
});

test('without a signer of the page nothing is offered', async () => {
  expect(await found({ tokenShortcode: 'iclocal_ckusdc' }, {})).toEqual([]);
});

test('the payer is told what the signer asks, once nothing stands in the way of paying', async () => {
  const told: (WalletQuestion | 'checked')[] = [];
  const wallet: PayerWallet = {
    ...icp.wallet,
    async payRegularly(_, call) {
      await call.beforePay({ payer: '', network: '', asset: '', amount: '', expiresAt: '' });
      throw new Error('enough');
    },
  };
  const [offer] = await found({}, { icp: { ...icp, wallet } });
  const opened = offer?.open({ onQuestion: (question) => told.push(question), chooseToken: () => undefined });
  const call = { beforePay: async () => void told.push('checked') } as unknown as RegularCall;
  await expect(opened?.payRegularly?.([], call)).rejects.toThrow('enough');
  expect(told).toEqual(['connect', 'checked', 'pay']);
});
