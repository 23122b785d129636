// The outcome of a transaction, by one node and by several. Landed and failed are observed. Expired is concluded, and
// only if the finalized height, read before the status, is past the last valid height of the blockhash, and the node's
// history reaches back to when the transaction was made. Everything else is unknown: the only action is to ask again.

import type { Landing } from '../prove/read-balance-changes.ts';
import type { Commitment, Lifetime, TransactionStatus } from '../rpc/solana-node.ts';
import { lowerOf } from './commitment.ts';
import { outcomeOfError } from './outcome-of-error.ts';

export type TransactionOutcome = Seen | { readonly kind: 'expired' } | { readonly kind: 'unknown' };
type Seen = { readonly kind: 'landed' | 'failed'; readonly commitment: Commitment; readonly landing: Landing };

/** Answers of one node, in the order of the calls. */
export type Sighting = {
  readonly finalizedHeight: bigint;
  /** Null: the node knows nothing of the transaction after searching its history. */
  readonly status: TransactionStatus | null;
  /** Present for a transaction with a status; undefined while the node does not return it. */
  readonly landing?: Landing | undefined;
  /** The oldest slot whose transactions the node still has. */
  readonly firstAvailableSlot?: bigint;
};

const UNKNOWN: TransactionOutcome = { kind: 'unknown' };

export function judgeSighting(sighting: Sighting, lifetime: Lifetime): TransactionOutcome {
  const { finalizedHeight, status, landing, firstAvailableSlot } = sighting;
  if (status === null) {
    const reachesBack = firstAvailableSlot !== undefined && firstAvailableSlot <= lifetime.slot;
    return finalizedHeight > lifetime.lastValidBlockHeight && reachesBack ? { kind: 'expired' } : UNKNOWN;
  }
  if (landing === undefined || landing.slot !== status.slot) return UNKNOWN;
  const failed = status.error !== null;
  if (failed !== (landing.error !== null)) return UNKNOWN;
  return { kind: failed ? 'failed' : 'landed', commitment: status.commitment, landing };
}

/**
 * Combines the nodes that answered. An outcome counts if at least two nodes give it and more than give any other; a
 * single answer is accepted. Expired needs all of them.
 */
export function agreeOnOutcome(outcomes: readonly TransactionOutcome[]): TransactionOutcome {
  const [only] = outcomes;
  if (only === undefined || outcomes.length === 1) return only ?? UNKNOWN;
  if (outcomes.every(({ kind }) => kind === 'expired')) return only;
  const groups = [...Map.groupBy(outcomes, keyOf).values()].toSorted((one, other) => other.length - one.length);
  const [largest = [], second = []] = groups;
  const [first, ...others] = largest.filter(isSeen);
  if (first === undefined || others.length === 0 || largest.length === second.length) return UNKNOWN;
  return atLowest(first, others);
}

/** What all of them saw, if they saw the same. */
export function sameOutcome(outcomes: readonly TransactionOutcome[]): Seen | undefined {
  const seen = outcomes.filter(isSeen);
  const [first] = seen;
  if (first === undefined || seen.length < outcomes.length) return undefined;
  return new Set(seen.map(keyOf)).size === 1 ? atLowest(first, seen) : undefined;
}

/** `seen` with the lowest commitment that it has at any of the others that saw it. */
export function atLowest(seen: Seen, others: readonly TransactionOutcome[]): Seen {
  const commitments = others.filter(isSeen).map(({ commitment }) => commitment);
  return { ...seen, commitment: commitments.reduce(lowerOf, seen.commitment) };
}

const isSeen = (outcome: TransactionOutcome): outcome is Seen => outcome.kind === 'landed' || outcome.kind === 'failed';

function keyOf(outcome: TransactionOutcome): string {
  if (!isSeen(outcome)) return outcome.kind;
  const { slot, error, changes, costLamports, lamports, accounts } = outcome.landing;
  // It decides how the payment ends. Its meaning: nodes of different versions may spell an error differently.
  const reason = error === null ? null : outcomeOfError(error);
  const inOrder = <Value>(map: ReadonlyMap<string, Value>) =>
    [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(
    [outcome.kind, slot, reason, inOrder(changes), costLamports, inOrder(lamports), accounts],
    (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  );
}
