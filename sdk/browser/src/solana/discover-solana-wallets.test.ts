import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeSolanaWallet } from '../testing/solana-actors.ts';
import { discoverSolanaWallets } from './discover-solana-wallets.ts';
import type { StandardWallet } from './standard-wallet.ts';

type Api = { readonly register: (...wallets: unknown[]) => void };

const place = globalThis as { window?: EventTarget };
let page: EventTarget;
beforeEach(() => {
  page = new EventTarget();
  place.window = page;
});
afterEach(() => {
  delete place.window;
});

/** As an extension does it: it announces itself, and again to every page that says it is ready. */
function install(...wallets: unknown[]): void {
  const announce = ({ register }: Api) => register(...wallets);
  page.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }));
  page.addEventListener('wallet-standard:app-ready', (event) => announce((event as CustomEvent<Api>).detail));
}

test('wallets that were there before, and one that loads late, are found once each', async () => {
  const [early, late] = [fakeSolanaWallet(), fakeSolanaWallet()];
  install(early);
  const looking = discoverSolanaWallets({ waitMs: 20 });
  install(late, early);
  expect(await looking).toEqual([early, late]);
});

test('what can’t pay on Solana is left out, whatever it calls itself', async () => {
  const wallet: StandardWallet = fakeSolanaWallet();
  const { 'solana:signTransaction': _, ...features } = wallet.features;
  install(
    null,
    {},
    'wallet',
    { ...wallet, features },
    { ...wallet, chains: ['sui:mainnet'] },
    { ...wallet, features: { ...features, 'solana:signTransaction': { signTransaction: () => {} } } },
  );
  expect(await discoverSolanaWallets({ waitMs: 1 })).toEqual([]);
});

test('where there is no page there are no wallets', async () => {
  delete place.window;
  expect(await discoverSolanaWallets({ waitMs: 1 })).toEqual([]);
});
