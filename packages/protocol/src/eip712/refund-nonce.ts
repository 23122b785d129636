// Nonce that binds a refund's authorization to its payment: the tag `svcref`, two bytes of sequence, 24 bytes of a hash over
// installation, mode, chain, token, wallet, payment and sequence. Amount and recipient are not part of it, so that of two
// signatures for one refund of a payment the token takes one. The merchant's client recomputes it before it signs.
import * as z from 'zod/mini';
import { evmAddress } from '../wire/primitives.ts';
import { addressWord, hexWord, keccakOf, numberWord } from './keccak-words.ts';
import type { Hex } from './typed-data.ts';

export const MAX_REFUND_SEQUENCE = 65_535;

export const refundNonceTerms = z.object({
  installation: z.uuid(),
  mode: z.enum(['test', 'live']),
  chainId: z.int().check(z.positive()),
  token: evmAddress,
  /** Wallet that pays the refund. */
  wallet: evmAddress,
  paymentId: z.string().check(z.regex(/^pay_[0-9a-z]{26}$/)),
  /** Counts the refunds of the payment, from 1. */
  sequence: z.int().check(z.minimum(1), z.maximum(MAX_REFUND_SEQUENCE)),
});
export type RefundNonceTerms = z.infer<typeof refundNonceTerms>;

const TAG = '737663726566';

export function refundNonce(terms: RefundNonceTerms): Hex {
  const { installation, mode, chainId, token, wallet, paymentId, sequence } = terms;
  const commitment = keccakOf([
    hexWord(installation.replaceAll('-', '')),
    numberWord(mode === 'live' ? 1 : 0),
    numberWord(chainId),
    addressWord(token),
    addressWord(wallet),
    keccakOf([hexOf(paymentId)]),
    numberWord(sequence),
  ]);
  return `0x${TAG}${sequence.toString(16).padStart(4, '0')}${commitment.slice(0, 48)}`;
}

/** The sequence that a nonce names; undefined for a nonce without the tag. */
export function readRefundNonce(nonce: string): { readonly sequence: number } | undefined {
  const text = nonce.toLowerCase();
  if (!/^0x[0-9a-f]{64}$/.test(text) || text.slice(2, 14) !== TAG) return undefined;
  return { sequence: Number.parseInt(text.slice(14, 18), 16) };
}

/** Digits of ASCII text. */
const hexOf = (text: string): string =>
  Array.from(text, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('');
