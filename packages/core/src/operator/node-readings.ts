// What the readings of a network's RPC nodes say together.
import type { NetworkId } from '@svc-pay/protocol';
import type { NodeState } from '@svc-pay/protocol/operator';

/** One node as it answered, or did not. Slots of Solana have no time. */
export type NodeReading = { readonly endpoint: number; readonly tookMs: number } & (
  | { readonly answered: false; readonly otherChain: boolean }
  | {
      readonly answered: true;
      readonly head: bigint;
      readonly headSeconds: bigint | undefined;
      readonly finalHead: bigint;
      readonly finalSeconds: bigint | undefined;
    }
);

/** The nodes of one network, each asked by itself. */
export type NodeProbe = { readonly network: NetworkId; readonly readNodes: () => Promise<readonly NodeReading[]> };

export type NodeReadingStore = {
  /** Replaces the readings of the network. Those of endpoints that are not named are gone. */
  readonly recordNodes: (network: NetworkId, readings: readonly NodeReading[], nowMs: number) => Promise<void>;
};

/** A reading as it is stored: the values of the chain are of the last answer. */
export type StoredNodeReading = {
  readonly endpoint: number;
  readonly answered: boolean;
  readonly otherChain: boolean;
  readonly tookMs: number;
  readonly head: bigint | null;
  readonly headMs: number | null;
  readonly finalHead: bigint | null;
  readonly finalMs: number | null;
  readonly answeredAtMs: number | null;
  readonly readAtMs: number;
};

const BEHIND_MS = 60_000;
/** A minute of Solana's slots. */
const BEHIND_SLOTS = 150n;

type Answered = StoredNodeReading & { readonly head: bigint };
const hasHead = (reading: StoredNodeReading): reading is Answered => reading.answered && reading.head !== null;

/**
 * The highest head that a second node confirms: one node that claims to be ahead makes no other look behind. Of two nodes
 * the higher one counts.
 */
function leader(readings: readonly StoredNodeReading[]): Answered | undefined {
  const answered = readings.filter(hasHead).toSorted((one, other) => (one.head < other.head ? 1 : -1));
  return answered.length > 2 ? answered[1] : answered[0];
}

export function judgeNode(reading: StoredNodeReading, all: readonly StoredNodeReading[]): NodeState {
  if (reading.otherChain) return 'other_chain';
  if (!hasHead(reading)) return 'silent';
  const best = leader(all);
  if (best === undefined || reading.head >= best.head) return 'fine';
  const isBehind =
    reading.headMs !== null && best.headMs !== null
      ? best.headMs - reading.headMs > BEHIND_MS
      : best.head - reading.head > BEHIND_SLOTS;
  return isBehind ? 'behind' : 'fine';
}

export type NetworkHeads = {
  readonly head: bigint | null;
  readonly finality: { readonly blocks: bigint; readonly seconds: number | null } | null;
};

/** The distance is to the lowest final block of the nodes that are not behind: what is final for one of them is for all. */
export function networkHeads(readings: readonly StoredNodeReading[]): NetworkHeads {
  const best = leader(readings);
  if (best === undefined) return { head: null, finality: null };
  const finals = readings
    .filter((one) => judgeNode(one, readings) === 'fine' && one.finalHead !== null)
    .toSorted((one, other) => ((one.finalHead ?? 0n) < (other.finalHead ?? 0n) ? -1 : 1));
  const [lowest] = finals;
  if (lowest === undefined || lowest.finalHead === null) return { head: best.head, finality: null };
  const blocks = best.head - lowest.finalHead;
  const seconds =
    best.headMs === null || lowest.finalMs === null ? null : Math.max(0, (best.headMs - lowest.finalMs) / 1_000);
  return {
    head: best.head,
    finality: { blocks: blocks > 0n ? blocks : 0n, seconds: seconds === null ? null : Math.round(seconds) },
  };
}
