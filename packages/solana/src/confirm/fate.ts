// What became of a transaction, by one node and by several. Landed and failed are seen; expired is concluded, and only
// from a finalized height past the last at which its blockhash was good, asked for before its status, in a history that
// reaches back to when it was made. Everything else is unknown, and nothing follows from it but asking again.
import type { Commitment, Lifetime, TransactionStatus } from '../rpc/solana-node.ts';
import { lowerOf } from './commitment.ts';
import type { Landing } from './read-landing.ts';

export type Fate = Seen | { readonly kind: 'expired' } | { readonly kind: 'unknown' };
type Seen = { readonly kind: 'landed' | 'failed'; readonly commitment: Commitment; readonly landing: Landing };

/** One node's words, in the order in which they were asked for. */
export type Sighting = {
  readonly finalizedHeight: bigint;
  /** Null: nothing known, its history searched. */
  readonly status: TransactionStatus | null;
  /** Of a transaction that has a status; undefined while the node does not tell it. */
  readonly landing?: Landing | undefined;
  /** The oldest slot of which it still knows transactions. */
  readonly firstAvailableSlot?: bigint;
};

const UNKNOWN: Fate = { kind: 'unknown' };

export function judgeSighting(sighting: Sighting, lifetime: Lifetime): Fate {
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
 * Of the nodes that answered. What two tell alike, and more than tell anything else, is so; one that answers alone is
 * believed. Expired is only what all of them say.
 */
export function agreeOnFate(fates: readonly Fate[]): Fate {
  const [only] = fates;
  if (only === undefined || fates.length === 1) return only ?? UNKNOWN;
  if (fates.every(({ kind }) => kind === 'expired')) return only;
  const groups = [...Map.groupBy(fates, keyOf).values()].toSorted((one, other) => other.length - one.length);
  const [largest = [], second = []] = groups;
  const [first, ...others] = largest.filter(isSeen);
  if (first === undefined || others.length === 0 || largest.length === second.length) return UNKNOWN;
  return { ...first, commitment: others.reduce((low, { commitment }) => lowerOf(low, commitment), first.commitment) };
}

const isSeen = (fate: Fate): fate is Seen => fate.kind === 'landed' || fate.kind === 'failed';

function keyOf(fate: Fate): string {
  if (!isSeen(fate)) return fate.kind;
  const { slot, changes, costLamports, lamports } = fate.landing;
  const inOrder = <Value>(map: ReadonlyMap<string, Value>) =>
    [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([fate.kind, slot, inOrder(changes), costLamports, inOrder(lamports)], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}
