// The Internet Computer package: token ledgers as their network certifies them.

export type { IcpAccess } from './read/certified-call.ts';
export { createIcrcChain } from './read/icrc-chain.ts';
export { rootKeyBytes } from './read/root-key.ts';
export { createIcpRefundChain } from './refund/refund-chain.ts';
