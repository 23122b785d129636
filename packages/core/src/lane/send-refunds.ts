// Sends refunds, each in a transaction of its own. Payments go first: refunds have a small share of the lane's in-flight
// limit while payments wait and half of it while none does, and are sent when no payment can be, or at their turn, so that a
// busy queue does not starve them. A refund that the chain refuses stays queued and waits: only a final block ends it.

import { checkNonce } from './check-nonce.ts';
import { setAside } from './judge-simulation.ts';
import { isRefundBatch, type LaneItem, type PendingBatch } from './lane.ts';
import { ChainUnavailable } from './lane-chain.ts';
import { idsOf, type LaneDeps, type RoundResult, type Sending, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, QueuePeek } from './lane-store.ts';
import { trySolo, withBudgets } from './send-solo.ts';

/** Refunds simulated per round. */
const MOST_LOOKED_AT = 4;
/** Refunds may take one in so many in-flight slots, at least one: while payments wait, and while none does. */
const REFUND_PART = 8;
const IDLE_PART = 2;
/** A refund goes first at one in so many nonces, which are none of the solo queue's. */
const REFUND_TURN = 8n;

/** A refund that nobody can send as it is stored is looked at again after this. */
const PUT_OFF_MS = 60_000;

export const isRefundTurn = (nonce: bigint): boolean => nonce % REFUND_TURN === 0n;

/** How many more refunds may be sent beside these batches. `waiting`: what the lane saw in its queues. */
export function roomForRefunds(
  maxInFlight: number,
  pendingBatches: readonly PendingBatch[],
  waiting: Pick<QueuePeek, 'count' | 'solo'>,
): number {
  const part = waiting.count === 0 && !waiting.solo ? IDLE_PART : REFUND_PART;
  return Math.max(1, Math.floor(maxInFlight / part)) - pendingBatches.filter(isRefundBatch).length;
}

/** Refunds whose rows are those that the API writes. The others are put off: no lane ever sends them. */
export async function usableRefunds(
  deps: LaneDeps,
  lease: LaneLease,
  loaded: readonly LaneItem[],
): Promise<readonly LaneItem[]> {
  const forged = loaded.filter(({ payout }) => payout.withdrawn);
  for (const item of forged) deps.log('refund_put_off', { reason: 'its row is malformed', ...idsOf([item]) });
  await setAside(deps, lease, forged, PUT_OFF_MS);
  return loaded.filter(({ payout }) => !payout.withdrawn);
}

/**
 * Refunds wait, payments go on: whatever a refund makes a node or our own code do, the lane must get past it. Where the
 * failure is not the refund's, the payments of the round meet it too. `empty` after a failure.
 */
export async function withoutStopping<Result>(
  deps: LaneDeps,
  lease: LaneLease,
  items: readonly LaneItem[],
  send: () => Promise<Result>,
): Promise<Result | 'empty'> {
  try {
    return await send();
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    deps.log('refund_put_off', { reason, ...idsOf(items) });
    await setAside(deps, lease, items, problem instanceof ChainUnavailable ? undefined : PUT_OFF_MS);
    return 'empty';
  }
}

/** Sends one refund. `empty` when none may be sent now. */
export async function sendRefund(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  queues: QueuePeek,
): Promise<RoundResult> {
  const { store, pace } = deps;
  const { state, pendingBatches, share } = sending;
  if (roomForRefunds(pace.maxInFlight, pendingBatches, queues) <= 0) return 'empty';
  // A wallet with a pending refund waits for its result: one that burns gas costs one transaction at a time.
  const busy = pendingBatches.filter(isRefundBatch).flatMap(({ items }) => items.map(({ payer }) => payer));
  const loaded = await store.loadRefundQueue(lease, share, MOST_LOOKED_AT, busy);
  const waiting = await usableRefunds(deps, lease, loaded);
  if (waiting.length === 0) return 'empty';
  if (pendingBatches.length === 0) {
    const nonce = await checkNonce(deps, lease, state);
    if (nonce !== 'empty') return nonce;
  }
  let ended = false;
  for (const { item, ...budget } of await withBudgets(store, lease, waiting)) {
    if (budget.verdict === 'wait') {
      // Others have their turn meanwhile.
      await setAside(deps, lease, [item]);
      continue;
    }
    const tried = await withoutStopping(deps, lease, [item], () => trySolo(deps, lease, sending, item, budget));
    if (tried === 'ended') ended = true;
    else if (tried !== 'aside') return tried;
  }
  return ended ? 'moved' : 'empty';
}
