// What a Solana client has to know to check a transaction by itself; an entry of its own, for pages that pay there.
export { base64FromBytes, bytesFromBase64 } from '../header/base64.ts';
export { base58FromBytes, bytesFromBase58 } from './base58.ts';
export { tokenAccountOf } from './token-account.ts';
