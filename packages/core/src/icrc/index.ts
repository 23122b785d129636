// Transfers of token ledgers.
export {
  type AccountParts,
  ANONYMOUS_PRINCIPAL,
  accountText,
  type IcrcAccount,
  isPrincipal,
  MANAGEMENT_CANISTER,
  ownerOf,
  parseAccount,
  principalBytes,
  principalText,
} from '@svc-pay/protocol/icp';
export * from './check-blocks.ts';
export * from './decide-ledger-reset.ts';
export type * from './icrc-chain.ts';
export type * from './icrc-store.ts';
export * from './judge-blocks.ts';
export * from './notify-transfer.ts';
export * from './precedes-intent.ts';
export * from './public-root-key.ts';
export * from './read-named-block.ts';
export * from './read-token-ledgers.ts';
export type * from './token-block.ts';
export * from './transfer-memo.ts';
