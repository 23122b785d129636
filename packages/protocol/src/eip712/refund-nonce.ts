// Nonce of a refund: the tag `svcref`, two bytes of sequence, 24 bytes of a hash over the terms. It names the payment and
// neither amount nor recipient, so that of all signatures for one sequence at most one can move money, and a database that
// was restored finds the refund on chain by computing the nonce again. On Solana the same bytes are a reference: a
// read-only account of the transaction, by which the transaction is found.
import * as z from 'zod/mini';
import { chainIdOf, familyOf, type NetworkId, parseNetwork } from '../network/network.ts';
import { bytesFromBase58 } from '../solana/base58.ts';
import { addressWord, hexWord, keccakOf, numberWord } from './keccak-words.ts';
import type { Hex } from './typed-data.ts';

const account = z.string().check(z.regex(/^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/));

export const refundNonceTerms = z.object({
  installation: z.uuid(),
  mode: z.enum(['test', 'live']),
  network: z.string().check(z.refine((name) => parseNetwork(name) === name)),
  token: account,
  /** The merchant's wallet, which signs. */
  wallet: account,
  paymentId: z.string().check(z.regex(/^pay_[0-9a-z]{26}$/)),
  /** Counts the refunds of the payment, from 1. */
  sequence: z.int().check(z.positive(), z.lte(65_535)),
});
export type RefundNonceTerms = Omit<z.infer<typeof refundNonceTerms>, 'network'> & { readonly network: NetworkId };

const TAG = '737663726566';

/** Reads the terms of a prepared refund; undefined when they are malformed. */
export function readRefundTerms(terms: unknown): RefundNonceTerms | undefined {
  const read = refundNonceTerms.safeParse(terms);
  return read.success ? { ...read.data, network: read.data.network as NetworkId } : undefined;
}

export function refundNonce(terms: RefundNonceTerms): Hex {
  const { installation, mode, network, token, wallet, paymentId, sequence } = terms;
  const commitment = keccakOf([
    hexWord(installation.replaceAll('-', '')),
    numberWord(mode === 'live' ? 1 : 0),
    networkWord(network),
    accountWord(network, token),
    accountWord(network, wallet),
    keccakOf([hexOfText(paymentId)]),
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

/** The chain id; off EVM, the hash of the network's name. */
function networkWord(network: NetworkId): string {
  const chainId = chainIdOf(network);
  return chainId === undefined ? keccakOf([hexOfText(network)]) : numberWord(chainId);
}

function accountWord(network: NetworkId, account: string): string {
  if (familyOf(network) === 'evm') return addressWord(account);
  const bytes = bytesFromBase58(account);
  if (bytes === undefined) throw new Error(`${account} is not an address of ${network}`);
  return hexWord(hexOf(bytes));
}

const hexOfText = (text: string): string => hexOf(new TextEncoder().encode(text));
const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
