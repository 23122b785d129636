// The EVM side of paying.
export type { AffordableToken, ChooseToken } from '../choose-token.ts';
export type { DiscoverOptions } from '../discover-options.ts';
export { type AnnouncedWallet, discoverWallets, injectedProvider } from './discover-wallets.ts';
export type { Eip1193Provider } from './eip1193.ts';
export { type EvmWalletOptions, evmWallet } from './evm-wallet.ts';
