import { ChainUnavailable } from '@svc-pay/core';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { judgeMerchant, refuseMintingAccount } from './refuse-minting-account.ts';

const network = parseNetwork('icp:mainnet') as NetworkId;
const facts = { symbol: 'ckUSDC', decimals: 6, feeAtomic: 1n };
const chain = (mintingAccount: string | null) => ({
  ledgers: ['one', 'two'],
  facts: async (ledger: string) => ({ ...facts, mintingAccount: ledger === 'two' ? mintingAccount : null }),
});

test('the minting account of any ledger is refused as a merchant, and no other account', async () => {
  expect(await judgeMerchant(chain('minter'), 'minter')).toContain('burned');
  expect(await judgeMerchant(chain('minter'), 'merchant')).toBeUndefined();
  expect(await judgeMerchant(chain(null), 'merchant')).toBeUndefined();
});

test('a merchant is refused while nobody says who mints the tokens', async () => {
  const silent = { ledgers: ['one'], facts: () => Promise.reject(new ChainUnavailable('nobody')) };
  expect(await judgeMerchant(silent, 'merchant')).toContain('no boundary node');
  expect(await refuseMintingAccount(network, 'merchant', new Map())).toContain('rpcUrls');
  const setup = { ready: true, rpcUrls: ['http://127.0.0.1:9'] };
  expect(await refuseMintingAccount(network, 'merchant', new Map([[network, setup]]))).toContain('no boundary node');
});
