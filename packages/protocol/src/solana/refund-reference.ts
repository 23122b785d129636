// What the transaction of a refund on Solana names: its refund in the memo, and the refund's nonce as a reference.
import { base58FromBytes } from './base58.ts';

/** A memo that begins so names a refund of this service. */
export const REFUND_MEMO_PREFIX = 'svcref:';

/** Text of the memo, which publicly binds the transaction to its refund. */
export const refundMemo = (refundId: string): string => `${REFUND_MEMO_PREFIX}${refundId}`;

const NONCE = /^0x[0-9a-fA-F]{64}$/;

/**
 * The nonce of a refund as an address: an account that the transaction names without using it. Nodes list transactions by
 * the accounts that they name, so the chain alone answers whether the refund was made.
 */
export function refundReference(nonce: string): string {
  if (!NONCE.test(nonce)) throw new RangeError(`${nonce} is not a nonce of 32 bytes`);
  const bytes = nonce.slice(2).match(/../g) ?? [];
  return base58FromBytes(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}
