// Decides whether a network is offered to payers. A network is withdrawn while no lane there can settle, and is offered
// again without intervention. Acceptances offered before stay payable either way. Direct payments need token, lane and coins
// only: what stops the processor alone does not withdraw them.
import type { WithdrawnPart } from '../payout/merchant-setup.ts';
import { countsForHealth, type LaneObstacle } from './obstacle.ts';

/** Condition of a relayer's address. `low`: the balance covers few more transactions; `empty`: none. */
export type RelayerCondition = 'fine' | 'low' | 'empty' | 'not_allowed';

/** Whether a relayer in this condition can pay for its next transaction and may send it. */
export function isFit(condition: RelayerCondition): boolean {
  return condition === 'fine' || condition === 'low';
}

export type LaneFacts = {
  readonly condition: RelayerCondition;
  /** Close to the hourly cap of some token. */
  readonly capped: boolean;
  readonly obstacle: LaneObstacle | null;
  /** Age of the obstacle; null when there is none. */
  readonly obstacleMs: number | null;
  /** Age of the oldest transaction without a known result; null when no batch is pending. */
  readonly oldestPendingMs: number | null;
};

export type NetworkFacts = {
  /** Time since a node last answered; null when one answers now. */
  readonly unreachableMs: number | null;
  readonly paused: boolean;
  /** How the chain differs from the configuration; null or absent when it does not, or when it could not be read. */
  readonly difference?: DeploymentDifference | null;
  /** The active lanes. */
  readonly lanes: readonly LaneFacts[];
  /** Age of the oldest payment that waits for a transaction; null when the queue is empty. */
  readonly oldestQueuedMs: number | null;
};

/** `processor_differs`: another version, or no processor. `token_differs`: a token has another signing domain. */
export type DeploymentDifference = 'processor_differs' | 'token_differs';

export type WithdrawalReason =
  | DeploymentDifference
  | 'chain_unreachable'
  | 'paused'
  | 'no_active_relayer'
  | 'out_of_gas'
  | 'not_allowed'
  | 'over_cap'
  | 'stuck'
  | LaneObstacle;

/** A chain that is silent for less than this is not withdrawn. */
const UNREACHABLE_MS = 10_000;

/** Reasons that stop payments through the processor and no direct one. */
const PROCESSOR_REASONS: ReadonlySet<string> = new Set<WithdrawalReason>(['paused', 'not_allowed', 'over_cap']);

/** Reasons that stop payments without a relayer too: the chain reader could not find them, or they could not arrive. */
const CHAIN_REASONS: ReadonlySet<string> = new Set<WithdrawalReason>([
  'chain_unreachable',
  'processor_differs',
  'token_differs',
]);

/** Null: the network can be offered. `stuckMs` is the longest time that a payment or transaction may wait. */
export function withdrawalOf(facts: NetworkFacts, stuckMs: number): WithdrawalReason | null {
  const { unreachableMs, paused, lanes, oldestQueuedMs } = facts;
  if (unreachableMs !== null && unreachableMs >= UNREACHABLE_MS) return 'chain_unreachable';
  if (facts.difference) return facts.difference;
  const reasons = lanes.map((lane) => laneTrouble(lane, stuckMs));
  const [first] = reasons;
  if (first === undefined) return 'no_active_relayer';
  const troubles = reasons.filter((reason) => reason !== null);
  const none = troubles.length === reasons.length;
  const ofProcessor = troubles.find((reason) => PROCESSOR_REASONS.has(reason));
  // A lane that only the processor refuses carries direct payments.
  if (none && ofProcessor === undefined) return first;
  if (paused) return 'paused';
  if (none && ofProcessor !== undefined) return ofProcessor;
  return oldestQueuedMs !== null && oldestQueuedMs > stuckMs ? 'stuck' : null;
}

function laneTrouble(lane: LaneFacts, stuckMs: number): WithdrawalReason | null {
  const { condition, capped, obstacle, obstacleMs, oldestPendingMs } = lane;
  if (condition === 'empty') return 'out_of_gas';
  if (countsForHealth(obstacleMs)) return obstacle;
  if (oldestPendingMs !== null && oldestPendingMs > stuckMs) return 'stuck';
  if (condition === 'not_allowed') return condition;
  return capped ? 'over_cap' : null;
}

/** Settlement checks a network every second. An older check says nothing about now. */
const CHECK_HOLDS_MS = 60_000;

/**
 * What new acceptances of a network may not offer; null when they may offer all. `reason` is of the last check,
 * `checkedMs` its age, by the clock that stored it. A network without a check is offered: the configuration decides.
 */
export function withdrawnPart(check: {
  readonly reason: string | null;
  readonly checkedMs: number;
}): WithdrawnPart | null {
  if (check.checkedMs > CHECK_HOLDS_MS) return 'all';
  if (check.reason === null) return null;
  if (PROCESSOR_REASONS.has(check.reason)) return check.reason === 'paused' ? 'processor' : 'processor_headers';
  return CHAIN_REASONS.has(check.reason) ? 'all' : 'headers';
}
