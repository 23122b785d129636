// A lane whose transactions carry one payment each, wait for no other, and expire with age (Solana). Every transaction
// is broadcast until it lands or expires, and is never replaced; nothing is checked about nonces.
import { broadcastAll } from './broadcast-all.ts';
import type { PendingBatch } from './lane.ts';
import type { ExpiringLaneDeps, LaneStrategy, Offered, RoundResult } from './lane-deps.ts';
import type { LaneLease, LaneState, QueueShare } from './lane-store.ts';
import { giveUpBatches } from './reconcile-pending.ts';
import { isRefundTurn, roomForRefunds, usableRefunds, withoutStopping } from './send-refunds.ts';
import { sendSingles } from './send-singles.ts';
import { refuseSpent, withBudgets } from './send-solo.ts';

export function expiringLane(deps: ExpiringLaneDeps, lease: LaneLease, { nextNonce }: LaneState): LaneStrategy {
  return {
    offerAgain: (_, unheard) => offerAgain(deps, lease, unheard),
    sendQueued: ({ pendingBatches }) => sendQueued(deps, lease, nextNonce, pendingBatches),
  };
}

async function offerAgain(
  deps: ExpiringLaneDeps,
  lease: LaneLease,
  unheard: readonly PendingBatch[],
): Promise<Offered> {
  if (unheard.length === 0) return { givenUp: [], stalled: false };
  const expired = await deps.chain.findExpired(unheard);
  if (!(await giveUpBatches(deps, lease, expired))) return 'taken_over';
  const attempts = await broadcastAll(
    deps,
    unheard.filter(({ id }) => !expired.includes(id)),
    { isFirst: false },
  );
  const news = attempts.filter(({ taken, link }) => taken || link !== undefined);
  if (news.length > 0) await deps.store.recordAttempts(lease, news);
  return { givenUp: expired, stalled: false };
}

/** Every queued payment names its relayer, so the lane takes all of them. */
const ALL: QueueShare = { index: 0, count: 1 };

/** Also when the lane is closed to new payments: no other lane can send these. */
async function sendQueued(
  deps: ExpiringLaneDeps,
  lease: LaneLease,
  firstNonce: bigint,
  pendingBatches: readonly PendingBatch[],
): Promise<RoundResult> {
  const { store, pace, log } = deps;
  const pending = { firstNonce, pendingBatches };
  const room = pace.maxInFlight - pendingBatches.length;
  if (room <= 0) return 'empty';
  const waiting = await store.peekQueue(lease, ALL, 1);
  const hasRoomBack = roomForRefunds(pace.maxInFlight, pendingBatches, waiting) > 0;
  if (waiting.refunds && hasRoomBack && (waiting.count === 0 || isRefundTurn(firstNonce))) {
    const sent = await sendRefund(deps, lease, pending);
    if (sent === 'moved' || sent === 'taken_over' || waiting.count === 0) return sent;
  }
  if (waiting.count === 0) return 'empty';
  const items = await store.loadQueue(lease, ALL, room);
  if (items.length > 0) return sendSingles(deps, lease, { ...pending, items });
  log('queued_payments_unusable', { share: ALL.index, shares: ALL.count });
  return pendingBatches.length > 0 ? 'waiting' : 'blocked';
}

/** One refund, so that none has to wait for another that fails. */
async function sendRefund(
  deps: ExpiringLaneDeps,
  lease: LaneLease,
  pending: { readonly firstNonce: bigint; readonly pendingBatches: readonly PendingBatch[] },
): Promise<RoundResult> {
  const items = await usableRefunds(deps, lease, await deps.store.loadRefundQueue(lease, ALL, 1));
  const [judged] = await withBudgets(deps.store, lease, items);
  if (judged === undefined) return 'empty';
  if (judged.verdict === 'spent')
    return (await refuseSpent(deps, lease, judged.item)) === 'ended' ? 'moved' : 'taken_over';
  return withoutStopping(deps, lease, items, () => sendSingles(deps, lease, { ...pending, items }));
}
