// Sends refunds, each in a transaction of its own. Payments go first: refunds have a small share of the lane's in-flight
// limit, and are sent when no payment can be, or at their turn, so that a busy queue does not starve them. A refund that the
// chain refuses stays queued and waits: only a final block ends it.

import { checkNonce } from './check-nonce.ts';
import { isRefundBatch, type PendingBatch } from './lane.ts';
import type { RoundResult, Sending, SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease } from './lane-store.ts';
import { trySolo, withBudgets } from './send-solo.ts';

/** Refunds simulated per round. */
const MOST_LOOKED_AT = 4;
/** Refunds may take one in so many in-flight slots, at least one. */
const REFUND_PART = 8;
/** A refund goes first at one in so many nonces, which are none of the solo queue's. */
const REFUND_TURN = 8n;

export const isRefundTurn = (nonce: bigint): boolean => nonce % REFUND_TURN === 0n;

/** How many more refunds may be sent beside these batches. */
export function roomForRefunds(maxInFlight: number, pendingBatches: readonly PendingBatch[]): number {
  return Math.max(1, Math.floor(maxInFlight / REFUND_PART)) - pendingBatches.filter(isRefundBatch).length;
}

/** Sends one refund. `empty` when none may be sent now. */
export async function sendRefund(deps: SequencedLaneDeps, lease: LaneLease, sending: Sending): Promise<RoundResult> {
  const { store, pace } = deps;
  const { state, pendingBatches, share } = sending;
  if (roomForRefunds(pace.maxInFlight, pendingBatches) <= 0) return 'empty';
  // A wallet with a pending refund waits for its result: one that burns gas costs one transaction at a time.
  const busy = new Set(pendingBatches.filter(isRefundBatch).flatMap(({ items }) => items.map(({ payer }) => payer)));
  const loaded = await store.loadRefundQueue(lease, share, MOST_LOOKED_AT);
  const waiting = loaded.filter(({ byContract, payer }) => !byContract || !busy.has(payer));
  if (waiting.length === 0) return 'empty';
  if (pendingBatches.length === 0) {
    const nonce = await checkNonce(deps, lease, state);
    if (nonce !== 'empty') return nonce;
  }
  let ended = false;
  for (const { item, ...budget } of await withBudgets(store, lease, waiting)) {
    if (budget.verdict === 'wait') continue;
    const tried = await trySolo(deps, lease, sending, item, budget);
    if (tried === 'ended') ended = true;
    else if (tried !== 'aside') return tried;
  }
  return ended ? 'moved' : 'empty';
}
