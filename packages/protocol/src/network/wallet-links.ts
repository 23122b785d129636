// Links that open a page inside a wallet's own browser on a phone. The wallet is in that page; no relay server takes part.
import type { NetworkId } from './network.ts';

export type WalletLink = { readonly wallet: string; readonly url: string };

type LinkedWallet = {
  readonly name: string;
  /** Networks on which the wallet's own browser signs. */
  readonly signsOn: RegExp;
  readonly open: (page: URL) => string;
};

const inQuery = (page: URL): string => encodeURIComponent(page.href);

const WALLETS: readonly LinkedWallet[] = [
  {
    name: 'MetaMask',
    signsOn: /^eip155:/,
    open: ({ host, pathname, search }) => `https://metamask.app.link/dapp/${host}${pathname}${search}`,
  },
  {
    name: 'Coinbase Wallet',
    signsOn: /^eip155:/,
    open: (page) => `https://go.cb-w.com/dapp?cb_url=${inQuery(page)}`,
  },
  {
    name: 'Phantom',
    // Of EVM chains it has these alone.
    signsOn: /^(?:solana:|eip155:(?:1|137|8453|84532)$)/,
    open: (page) => `https://phantom.app/ul/browse/${inQuery(page)}?ref=${encodeURIComponent(page.origin)}`,
  },
  {
    name: 'Rainbow',
    signsOn: /^eip155:/,
    open: (page) => `https://rnbwapp.com/dapp?url=${inQuery(page)}`,
  },
  {
    name: 'Trust Wallet',
    signsOn: /^(?:eip155|solana):/,
    open: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${inQuery(page)}`,
  },
];

/** A link for each wallet that can pay on one of the networks. Each has the whole address of the page, its secret too. */
export function walletLinks(page: URL, networks: readonly NetworkId[]): readonly WalletLink[] {
  return WALLETS.filter(({ signsOn }) => networks.some((network) => signsOn.test(network))).map(({ name, open }) => ({
    wallet: name,
    url: open(page),
  }));
}
