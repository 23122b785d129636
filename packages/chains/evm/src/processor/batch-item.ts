// One payment of a batch in the processor's packed form of six words, and the outcome codes that the processor returns.
import { ITEM_OUTCOMES, type ItemOutcome } from '@svc-pay/core';
import { type Address, type Hex, hexToBytes, numberToHex, size } from 'viem';

export type BatchPayment = {
  readonly kind: 'transfer' | 'receive';
  readonly payer: Address;
  readonly intentCode: bigint;
  /** The signed amount; for an exact payment also the settled amount. */
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

/** Throws when a field does not fit: the caller refuses such a payment, or settles it in a single call. */
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

/** Reads the result of `settleBatch`, one byte per item. Throws on a code that this version does not know. */
export function readItemCodes(codes: Hex): ItemOutcome[] {
  return [...hexToBytes(codes)].map(outcomeOf);
}

export function outcomeOf(code: number): ItemOutcome {
  const outcome = ITEM_OUTCOMES[code];
  if (outcome === undefined) throw new RangeError(`item code ${code} is unknown`);
  return outcome;
}

function fits(value: bigint, bits: bigint): bigint {
  if (value < 0n || value >> bits !== 0n) throw new RangeError(`${value} does not fit ${bits} bits`);
  return value;
}

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
