// Nonce that binds a direct authorization to its intent: the tag `svcdir`, two bytes of attempt, eight bytes of intent
// code, 16 bytes of a hash over the terms. The chain reader finds the intent by the code and recomputes the rest; a payer's
// client recomputes it from the terms before it signs.
import * as z from 'zod/mini';
import { chainIdOf, type NetworkId } from '../network/network.ts';
import { evmAddress } from '../wire/primitives.ts';
import { addressWord, hexWord, keccakOf, numberWord } from './keccak-words.ts';
import type { Hex } from './typed-data.ts';

const uint = (bits: number) =>
  z
    .union([z.string().check(z.regex(/^(?:0|[1-9]\d{0,77})$/)), z.int().check(z.nonnegative())])
    .check(z.refine((value) => BigInt(value) < 1n << BigInt(bits)));

/** Whole numbers are JSON numbers or digits. */
const directNonceTerms = z.object({
  installation: z.uuid(),
  mode: z.enum(['test', 'live']),
  chainId: uint(256),
  token: evmAddress,
  wallet: evmAddress,
  amount: uint(256),
  intentCode: uint(64),
  /** Distinguishes repeated attempts to pay one intent. */
  attempt: uint(16),
});
export type DirectNonceTerms = z.infer<typeof directNonceTerms>;

const TAG = '737663646972';

/** Reads the terms of an acceptance; undefined when they are malformed. */
export function readDirectTerms(terms: unknown): DirectNonceTerms | undefined {
  const read = directNonceTerms.safeParse(terms);
  return read.success ? read.data : undefined;
}

/** The terms on this network; undefined where tokens take no authorizations with such a nonce. */
export function directTermsOn(
  network: NetworkId,
  terms: Omit<DirectNonceTerms, 'chainId'>,
): DirectNonceTerms | undefined {
  const chainId = chainIdOf(network);
  return chainId === undefined ? undefined : { ...terms, chainId };
}

export function directNonce(terms: DirectNonceTerms): Hex {
  const { installation, mode, chainId, token, wallet, amount, intentCode, attempt } = terms;
  const commitment = keccakOf([
    hexWord(installation.replaceAll('-', '')),
    numberWord(mode === 'live' ? 1 : 0),
    numberWord(chainId),
    numberWord(amount),
    numberWord(intentCode),
    numberWord(attempt),
    addressWord(token),
    addressWord(wallet),
  ]);
  return `0x${TAG}${digits(attempt, 4)}${digits(intentCode, 16)}${commitment.slice(0, 32)}`;
}

/** The intent code and the attempt that a nonce names; undefined for a nonce without the tag. */
export function readDirectNonce(nonce: string): { readonly intentCode: bigint; readonly attempt: number } | undefined {
  const text = nonce.toLowerCase();
  if (!/^0x[0-9a-f]{64}$/.test(text) || text.slice(2, 14) !== TAG) return undefined;
  return { attempt: Number.parseInt(text.slice(14, 18), 16), intentCode: BigInt(`0x${text.slice(18, 34)}`) };
}

const digits = (value: string | number, length: number): string => BigInt(value).toString(16).padStart(length, '0');
