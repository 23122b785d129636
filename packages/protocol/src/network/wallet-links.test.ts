import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evmNetwork, type NetworkId, parseNetwork } from './network.ts';
import { walletLinks } from './wallet-links.ts';

const base = evmNetwork(8453);
const solana = parseNetwork('solana:mainnet') as NetworkId;
const PAGE = new URL('https://pay.example/pay/pi_1?client_secret=live_acct_1_x-_y');
const namesOn = (...networks: NetworkId[]) => walletLinks(PAGE, networks).map(({ wallet }) => wallet);

test('only wallets that sign on an offered network are named', () => {
  expect(namesOn(base)).toEqual(['MetaMask', 'Coinbase Wallet', 'Phantom', 'Rainbow', 'Trust Wallet']);
  expect(namesOn(evmNetwork(42161))).toEqual(['MetaMask', 'Coinbase Wallet', 'Rainbow', 'Trust Wallet']);
  expect(namesOn(solana)).toEqual(['Phantom', 'Trust Wallet']);
  expect(namesOn(parseNetwork('icp:mainnet') as NetworkId)).toEqual([]);
  expect(namesOn()).toEqual([]);
});

test('each link has the whole address of the page, whatever its secret is made of', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{1,60}$/), fc.webUrl(), (secret, site) => {
      const page = new URL(`/pay/pi_1?client_secret=${secret}`, site);
      for (const { wallet, url } of walletLinks(page, [base])) {
        const told = new URL(url);
        const given = told.searchParams.get('cb_url') ?? told.searchParams.get('url');
        if (wallet === 'MetaMask')
          expect(`https:/${told.pathname.slice('/dapp'.length)}${told.search}`).toBe(
            `https://${page.host}${page.pathname}${page.search}`,
          );
        else if (wallet === 'Phantom')
          expect(decodeURIComponent(told.pathname.slice('/ul/browse/'.length))).toBe(page.href);
        else expect(given).toBe(page.href);
      }
    }),
  );
});
