// Wallet Standard: whichever comes first speaks and the other answers, so a page says that it is ready and listens for
// those that load later.
import type { DiscoverOptions } from '../discover-options.ts';
import { systemPorts } from '../ports.ts';
import { isSolanaWallet, type StandardWallet } from './standard-wallet.ts';

type Register = (...wallets: readonly unknown[]) => () => void;

/** The wallets of this page that can pay on Solana, each once, in the order they spoke up. Empty where there is no page. */
export async function discoverSolanaWallets(options: DiscoverOptions = {}): Promise<readonly StandardWallet[]> {
  const { waitMs = 200, ports = systemPorts, signal = new AbortController().signal } = options;
  const { window: page } = globalThis as { readonly window?: EventTarget };
  if (page === undefined || typeof page.addEventListener !== 'function') return [];
  const found = new Set<StandardWallet>();
  const register: Register = (...wallets) => {
    for (const wallet of wallets) if (isSolanaWallet(wallet)) found.add(wallet);
    return () => {};
  };
  const api = Object.freeze({ register });
  const hear = (event: Event) => {
    const { detail: announce } = event as CustomEvent<unknown>;
    if (typeof announce === 'function') announce(api);
  };
  page.addEventListener('wallet-standard:register-wallet', hear);
  page.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  await ports.sleep(waitMs, signal);
  page.removeEventListener('wallet-standard:register-wallet', hear);
  return [...found];
}
