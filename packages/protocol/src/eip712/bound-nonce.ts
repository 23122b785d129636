// Nonce that binds an authorization to its terms, derived as by the processor: the tag `svcpay`, two bytes of attempt,
// 24 bytes of a hash over the terms. A payer's client recomputes it from the terms before it signs.
import * as z from 'zod/mini';
import { chainIdOf, type NetworkId } from '../network/network.ts';
import { evmAddress } from '../wire/primitives.ts';
import { addressWord, keccakOf, numberWord } from './keccak-words.ts';
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

/** Reads the terms of an acceptance; undefined when they are malformed. */
export function readBoundTerms(terms: unknown): BoundNonceTerms | undefined {
  const read = boundNonceTerms.safeParse(terms);
  return read.success ? read.data : undefined;
}

/** The terms on this network; undefined where no processor checks them. */
export function boundTermsOn(network: NetworkId, terms: Omit<BoundNonceTerms, 'chainId'>): BoundNonceTerms | undefined {
  const chainId = chainIdOf(network);
  return chainId === undefined ? undefined : { ...terms, chainId };
}

export function boundNonce(terms: BoundNonceTerms): Hex {
  const { intentCode, attempt } = terms;
  const commitment = keccakOf([termsHash(terms), numberWord(intentCode), numberWord(attempt)]);
  return `0x${TAG}${BigInt(attempt).toString(16).padStart(4, '0')}${commitment.slice(0, 48)}`;
}

/** An API offers few payouts again and again: most of the work is the same for all intents of one. */
const MAX_KNOWN = 1_000;
const known = new Map<string, string>();

function termsHash({ chainId, processor, token, payoutId, merchant, feeBps, splits }: BoundNonceTerms): string {
  const key = JSON.stringify([chainId, processor, token, payoutId, merchant, feeBps, splits]);
  const found = known.get(key);
  if (found !== undefined) return found;
  // `splits` is the only field of variable length: its head is an offset, and its content follows the seven heads.
  const hash = keccakOf([
    numberWord(chainId),
    addressWord(processor),
    addressWord(token),
    numberWord(payoutId),
    addressWord(merchant),
    numberWord(feeBps),
    numberWord(7 * 32),
    numberWord(splits.length),
    ...splits.flatMap(({ to, bps }) => [addressWord(to), numberWord(bps)]),
  ]);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, hash);
  return hash;
}

/** The attempt that a nonce names; undefined for a nonce without the tag. */
export function readBoundNonce(nonce: string): { readonly attempt: number } | undefined {
  const text = nonce.toLowerCase();
  if (!/^0x[0-9a-f]{64}$/.test(text) || text.slice(2, 14) !== TAG) return undefined;
  return { attempt: Number.parseInt(text.slice(14, 18), 16) };
}
