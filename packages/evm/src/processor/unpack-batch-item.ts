import { type Hex, numberToHex } from 'viem';
import type { BatchItem, BatchPayment } from './batch-item.ts';

const mask = (bits: bigint) => (1n << bits) - 1n;

/** The opposite of `packBatchItem`. */
export function unpackBatchItem({ head, amounts, window, nonce, r, s }: BatchItem): BatchPayment {
  const v = head & 0xffn;
  return {
    kind: ((head >> 8n) & 0xffn) === 0n ? 'transfer' : 'receive',
    payer: numberToHex(head >> 96n, { size: 20 }),
    intentCode: (head >> 32n) & mask(64n),
    capAtomic: amounts >> 128n,
    settledAtomic: amounts & mask(128n),
    validAfterSeconds: (window >> 64n) & mask(64n),
    validBeforeSeconds: window & mask(64n),
    nonce,
    signature: `${r}${s.slice(2)}${v.toString(16).padStart(2, '0')}` as Hex,
  };
}
