// Helpers with which a Solana client checks a transaction by itself; a separate entry, for pages that pay on Solana.
export { base64FromBytes, bytesFromBase64 } from '../header/base64.ts';
export { base58FromBytes, bytesFromBase58 } from './base58.ts';
export * from './read-transaction.ts';
export { REFUND_MEMO_PREFIX, refundMemo, refundReference } from './refund-reference.ts';
export { tokenAccountOf } from './token-account.ts';
export { type CheckedTransfer, readTransfer, type TransferParts, transferParts } from './transfer-parts.ts';
