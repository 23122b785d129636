// Whether a network may be promised to payers. It is withdrawn while nobody there can settle what would be signed, and
// comes back by itself: what was offered before stays payable either way.
import type { LaneObstacle } from './lane-store.ts';

/** What a relayer's address is good for. `low`: its coins pay for few more transactions; `empty`: for none. */
export type RelayerCondition = 'fine' | 'low' | 'empty' | 'not_allowed';

export type LaneFacts = {
  readonly condition: RelayerCondition;
  /** Close to the most that the processor lets it move within an hour, of some token. */
  readonly capped: boolean;
  readonly obstacle: LaneObstacle | null;
  /** Age of its oldest transaction without a known end; null when nothing flies. */
  readonly oldestFlightMs: number | null;
};

export type NetworkFacts = {
  /** For how long no node has answered; null when one does. */
  readonly unreachableMs: number | null;
  readonly paused: boolean;
  /** The active ones. */
  readonly lanes: readonly LaneFacts[];
  /** How long the oldest payment waits for a transaction; null when none does. */
  readonly oldestQueuedMs: number | null;
};

export type WithdrawalReason =
  | 'chain_unreachable'
  | 'paused'
  | 'no_active_relayer'
  | 'out_of_gas'
  | 'not_allowed'
  | 'over_cap'
  | 'stuck'
  | LaneObstacle;

/** A chain that is silent for a moment is not withdrawn. */
const UNREACHABLE_MS = 10_000;

/** Null: it can be offered. `stuckMs` is how long anything may take to move. */
export function withdrawalOf(facts: NetworkFacts, stuckMs: number): WithdrawalReason | null {
  const { unreachableMs, paused, lanes, oldestQueuedMs } = facts;
  if (unreachableMs !== null && unreachableMs >= UNREACHABLE_MS) return 'chain_unreachable';
  if (paused) return 'paused';
  const reasons = lanes.map((lane) => laneTrouble(lane, stuckMs));
  const [first] = reasons;
  if (first === undefined) return 'no_active_relayer';
  if (reasons.every((reason) => reason !== null)) return first;
  return oldestQueuedMs !== null && oldestQueuedMs > stuckMs ? 'stuck' : null;
}

function laneTrouble({ condition, capped, obstacle, oldestFlightMs }: LaneFacts, stuckMs: number) {
  if (condition === 'not_allowed') return condition;
  if (condition === 'empty') return 'out_of_gas';
  if (obstacle !== null) return obstacle;
  if (oldestFlightMs !== null && oldestFlightMs > stuckMs) return 'stuck';
  return capped ? 'over_cap' : null;
}
