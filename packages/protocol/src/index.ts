// Wire shapes and codecs, for clients and servers on every runtime. Parts that not every client needs have their own
// entry: `/errors` (the error catalogue), `/hash` (EIP-712 digests), `/bound-nonce`, `/direct-nonce`, `/refund-nonce`,
// `/refund-terms` (what a wallet is asked to sign for a refund, checked), `/ids`,
// `/solana` (addresses without a library), `/webhook` (signatures of deliveries) and `/x402` (stock clients, headers read).
export { buildSignRequest, type SignableRequest, type SignRequest } from './eip712/sign-request.ts';
export {
  type AuthorizationMessage,
  type Eip712Domain,
  type Hex,
  messageTypes,
  type PermitMessage,
  type PrimaryType,
  type Signable,
  type TypedData,
  typedData,
} from './eip712/typed-data.ts';
export { encodePaymentHeader } from './header/encode-header.ts';
export {
  type ChainType,
  chainIdOf,
  chainTypeOf,
  evmNetwork,
  familyOf,
  type NetworkFamily,
  type NetworkId,
  parseNetwork,
} from './network/network.ts';
export { networkName } from './network/network-name.ts';
export { type WalletLink, walletLinks } from './network/wallet-links.ts';
export * from './wire/acceptance.ts';
export * from './wire/create-intent.ts';
export * from './wire/endpoint.ts';
export * from './wire/error-body.ts';
export * from './wire/events.ts';
export * from './wire/intent-status.ts';
export * from './wire/internal-notify.ts';
export * from './wire/payment.ts';
export * from './wire/payment-header.ts';
export * from './wire/payment-intent.ts';
export * from './wire/payment-required.ts';
export * from './wire/regular.ts';
export * from './wire/settle.ts';
export * from './wire/solana-helpers.ts';
export * from './wire/statuses.ts';
export * from './wire/tokens.ts';
export * from './wire/upto.ts';
