// Accounts and formats of the Internet Computer; a separate entry, for pages that pay there.
export { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
export { base64FromBytes, bytesFromBase64 } from '../header/base64.ts';
export * from './account-text.ts';
export { type Cbor, type CborMap, readCborMap, writeCbor } from './cbor.ts';
export { leb128, readLeb128 } from './leb128.ts';
export { requestIdOf } from './request-id.ts';
