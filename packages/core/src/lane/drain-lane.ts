// Drains a lane in rounds. Each round reconciles pending batches, then sends queued payments. A process may stop after
// any round: all state is in the database, and the next round continues from there.
import { checkNonce } from './check-nonce.ts';
import { ChainUnavailable } from './lane-chain.ts';
import type { LaneDeps, RoundResult, Sending } from './lane-deps.ts';
import type { LaneLease, LaneState, QueueShare } from './lane-store.ts';
import { reconcilePendingBatches } from './reconcile-pending.ts';
import { QUEUE_PEEK, sendNext } from './send-next.ts';
import { isSoloTurn, sendSolo } from './send-solo.ts';

export async function laneRound(deps: LaneDeps, lease: LaneLease): Promise<RoundResult> {
  const state = await deps.store.heartbeat(lease);
  if (state === undefined) return 'taken_over';
  try {
    return await round(deps, lease, state);
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    deps.log('lane_chain_unreachable', { reason: problem.message });
    return 'blocked';
  }
}

async function round(deps: LaneDeps, lease: LaneLease, state: LaneState): Promise<RoundResult> {
  const reconciled = await reconcilePendingBatches(deps, lease, state, await deps.store.loadPendingBatches(lease));
  if (reconciled === 'taken_over') return reconciled;
  const { pendingBatches, unmined, landed, stalled } = reconciled;
  // Transactions behind one that no node takes, or behind a nonce gap, could not be mined either.
  if (stalled) return 'blocked';
  if (state.obstacle !== null && pendingBatches.length === 0) return checkNonce(deps, lease, state);
  // A payment that only this lane can send is sent even when the lane is closed to new payments.
  const open = state.open || deps.chain.expiring === true;
  const room = open && pendingBatches.length < deps.pace.maxInFlight;
  const sent = room ? await sendWaiting(deps, lease, { state, pendingBatches, unmined }) : 'empty';
  if (sent !== 'empty') return sent;
  if (landed > 0) return 'moved';
  return pendingBatches.length > 0 ? 'waiting' : 'empty';
}

/** On Solana every queued payment names its relayer, so the lane takes all of them. */
const ALL: QueueShare = { index: 0, count: 1 };

async function sendWaiting(
  deps: LaneDeps,
  lease: LaneLease,
  { state, pendingBatches, unmined }: Omit<Sending, 'share'>,
): Promise<RoundResult> {
  const { store, chain, clock, pace } = deps;
  const share = state.share ?? (chain.expiring ? ALL : undefined);
  if (share === undefined) return 'empty';
  const waiting = await store.peekQueue(lease, share, QUEUE_PEEK);
  const sending = { state, pendingBatches, unmined, share };
  const solo = () => (waiting.solo ? sendSolo(deps, lease, sending) : Promise.resolve('empty' as const));
  if (isSoloTurn(state.nextNonce)) {
    const sent = await solo();
    if (sent === 'moved' || sent === 'taken_over') return sent;
  }
  const gathered = clock.nowMs() - waiting.oldestAtMs >= pendingBatches.length * pace.gatherMs;
  const common =
    waiting.count >= QUEUE_PEEK || (waiting.count > 0 && gathered) ? await sendCommon(deps, lease, sending) : 'empty';
  if (common === 'moved' || common === 'taken_over') return common;
  const sent = await solo();
  if (sent !== 'empty') return sent;
  if (common !== 'empty') return common;
  // Payments gather, or their payers wait for a turn: the lane stays awake for them.
  return waiting.count > 0 || waiting.solo ? 'waiting' : 'empty';
}

async function sendCommon(deps: LaneDeps, lease: LaneLease, sending: Sending): Promise<RoundResult> {
  if (sending.pendingBatches.length === 0) {
    const nonce = await checkNonce(deps, lease, sending.state);
    if (nonce !== 'empty') return nonce;
  }
  return sendNext(deps, lease, sending);
}
