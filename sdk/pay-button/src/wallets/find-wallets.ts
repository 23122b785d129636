// The wallets of a page that can pay what a button asks for.
import type { Eip1193Provider } from '@svc-pay/sdk/evm';
import type { Settings } from '../settings/settings.ts';
import { tokenNamed } from '../tokens/known-tokens.ts';
import { evmWallets } from './evm-wallets.ts';
import { icpWallets, type PageWallets } from './page-wallets.ts';
import { solanaWallets } from './solana-wallets.ts';
import type { WalletKind, WalletOffer } from './wallet-kind.ts';

/** What the page brought along. */
type Brought = { readonly provider: Eip1193Provider | undefined; readonly wallets: PageWallets | undefined };

/** Never rejects. A provider that the page brought along is the only one then. */
export async function findWallets(
  settings: Settings,
  { provider, wallets = {} }: Brought,
  signal: AbortSignal,
): Promise<readonly WalletOffer[]> {
  const kinds = provider === undefined ? kindsFor(settings, wallets) : [evmWallets(provider)];
  return (await Promise.all(kinds.map((kind) => kind.find(signal)))).flat();
}

/** A token stands on one chain, and a cap is signed on EVM chains alone. */
function kindsFor({ mode, payment: { request } }: Settings, wallets: PageWallets): readonly WalletKind[] {
  const { tokenShortcode } = 'clientSecret' in request ? (request.expect ?? {}) : request;
  const network = tokenNamed(tokenShortcode)?.network;
  if (mode === 'upto' || network?.startsWith('eip155:') === true) return [evmWallets()];
  if (network === undefined) return [evmWallets(), solanaWallets(), icpWallets(wallets)];
  return [network.startsWith('icp:') ? icpWallets(wallets) : solanaWallets()];
}
