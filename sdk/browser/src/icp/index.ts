// The Internet Computer's side of paying.
export { type IcpWalletOptions, icpWallet } from './icp-wallet.ts';
export type { CanisterCall, CanisterCallResult, IcpSigner, SignerAccount } from './signer.ts';
