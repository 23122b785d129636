// The Solana side of paying.

export { type Instruction, type ReadTransaction, readTransaction } from '@svc-pay/protocol/solana';
export type { AffordableToken, ChooseToken } from '../choose-token.ts';
export type { DiscoverOptions } from '../discover-options.ts';
export { discoverSolanaWallets } from './discover-solana-wallets.ts';
export { type SolanaWalletOptions, solanaWallet } from './solana-wallet.ts';
export type { StandardAccount, StandardWallet } from './standard-wallet.ts';
