// Nonce that binds an authorization to its terms, derived as by the processor: the tag `svcpay`, two bytes of attempt,
// 24 bytes of a hash over the terms. A payer's client recomputes it from the terms before it signs.
import { keccak_256 } from '@noble/hashes/sha3.js';
import * as z from 'zod/mini';
import { evmAddress } from '../wire/primitives.ts';
import type { Hex } from './typed-data.ts';

const uint = (bits: number) =>
  z
    .union([z.string().check(z.regex(/^(?:0|[1-9]\d{0,77})$/)), z.int().check(z.nonnegative())])
    .check(z.refine((value) => BigInt(value) < 1n << BigInt(bits)));

/** Whole numbers are JSON numbers or digits. */
const boundNonceTerms = z.object({
  chainId: uint(256),
  processor: evmAddress,
  token: evmAddress,
  payoutId: uint(64),
  merchant: evmAddress,
  feeBps: uint(16),
  splits: z.array(z.object({ to: evmAddress, bps: uint(16) })).check(z.maxLength(8)),
  intentCode: uint(64),
  /** Distinguishes repeated attempts to pay one intent. */
  attempt: uint(16),
});
export type BoundNonceTerms = z.infer<typeof boundNonceTerms>;

const TAG = '737663706179';
const WORD_DIGITS = 64;

/** Reads the terms of an acceptance; undefined when they are malformed. */
export function readBoundTerms(terms: unknown): BoundNonceTerms | undefined {
  const read = boundNonceTerms.safeParse(terms);
  return read.success ? read.data : undefined;
}

export function boundNonce(terms: BoundNonceTerms): Hex {
  const { splits } = terms;
  // `splits` is the only field of variable length: its head is an offset, and its content follows the seven heads.
  const termsHash = keccakOf([
    numberWord(terms.chainId),
    addressWord(terms.processor),
    addressWord(terms.token),
    numberWord(terms.payoutId),
    addressWord(terms.merchant),
    numberWord(terms.feeBps),
    numberWord(7 * 32),
    numberWord(splits.length),
    ...splits.flatMap(({ to, bps }) => [addressWord(to), numberWord(bps)]),
  ]);
  const commitment = keccakOf([termsHash, numberWord(terms.intentCode), numberWord(terms.attempt)]);
  return `0x${TAG}${BigInt(terms.attempt).toString(16).padStart(4, '0')}${commitment.slice(0, 48)}`;
}

const numberWord = (value: string | number): string => BigInt(value).toString(16).padStart(WORD_DIGITS, '0');
const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(WORD_DIGITS, '0');

function keccakOf(words: readonly string[]): string {
  const digits = words.join('');
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  }
  return Array.from(keccak_256(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
