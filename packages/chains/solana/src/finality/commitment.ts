// Maps a commitment to a number of confirmations, so that one policy serves every chain: `confirmed` is one, and a
// policy of more than one waits for `finalized`.
import type { Commitment } from '../rpc/solana-node.ts';

/** Votes on a finalized slot. */
export const FINALIZED_CONFIRMATIONS = 32;

const CONFIRMATIONS = {
  processed: 0n,
  confirmed: 1n,
  finalized: BigInt(FINALIZED_CONFIRMATIONS),
} as const satisfies Record<Commitment, bigint>;

export function confirmationsOf(commitment: Commitment): bigint {
  return CONFIRMATIONS[commitment];
}

/** The default policy: payments from 1000 dollars on wait for finalized. */
export const DEFAULT_CONFIRMATIONS = [
  { fromUsd: '0', blocks: 1 },
  { fromUsd: '1000', blocks: FINALIZED_CONFIRMATIONS },
] as const;

export function lowerOf(one: Commitment, other: Commitment): Commitment {
  return CONFIRMATIONS[one] < CONFIRMATIONS[other] ? one : other;
}
