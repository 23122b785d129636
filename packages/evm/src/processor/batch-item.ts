// One payment of a batch as the processor takes it, six words, and the codes it answers with.
import { ITEM_OUTCOMES, type ItemOutcome } from '@svc-pay/core';
import type { Address, Hex } from 'viem';
import { hexToBytes, size } from 'viem';

export type BatchPayment = {
  readonly kind: 'transfer' | 'receive';
  readonly payer: Address;
  readonly intentCode: bigint;
  /** What the payer signed; for an exact payment also what is settled. */
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  readonly nonce: Hex;
  /** 65 bytes, r, s, v; v is 27 or 28. */
  readonly signature: Hex;
};

export type BatchItem = {
  readonly head: bigint;
  readonly amounts: bigint;
  readonly window: bigint;
  readonly nonce: Hex;
  readonly r: Hex;
  readonly s: Hex;
};

/** Throws when a field does not fit: such a payment must be refused, or settled alone, before it gets here. */
export function packBatchItem(payment: BatchPayment): BatchItem {
  if (size(payment.signature) !== 65) throw new RangeError('a batch item takes a signature of 65 bytes');
  const kind = payment.kind === 'transfer' ? 0n : 1n;
  const v = BigInt(`0x${payment.signature.slice(130)}`);
  return {
    head: (BigInt(payment.payer) << 96n) | (fits(payment.intentCode, 64n) << 32n) | (kind << 8n) | v,
    amounts: (fits(payment.capAtomic, 128n) << 128n) | fits(payment.settledAtomic, 128n),
    window: (fits(payment.validAfterSeconds, 64n) << 64n) | fits(payment.validBeforeSeconds, 64n),
    nonce: payment.nonce,
    r: `0x${payment.signature.slice(2, 66)}`,
    s: `0x${payment.signature.slice(66, 130)}`,
  };
}

/** The answer of `settleBatch`, one byte per item. Throws on a code that this version does not know. */
export function readItemCodes(codes: Hex): ItemOutcome[] {
  return [...hexToBytes(codes)].map((byte) => {
    const code = ITEM_OUTCOMES[byte];
    if (code === undefined) throw new RangeError(`item code ${byte} is unknown`);
    return code;
  });
}

function fits(value: bigint, bits: bigint): bigint {
  if (value < 0n || value >> bits !== 0n) throw new RangeError(`${value} does not fit ${bits} bits`);
  return value;
}
