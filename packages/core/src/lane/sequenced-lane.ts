// A lane whose transactions are ordered by nonces (EVM). A transaction is mined only after all before it, so a stuck one
// gets a fee bump, a nonce gap stops the lane, and the nonce is checked before a lane without pending batches sends.
// Payments go in batches; the solo queue and refunds have their own transactions.
import { checkNonce, noteObstacle } from './check-nonce.ts';
import { hasGathered, isRipe, WORTH_A_LOOK } from './is-ripe.ts';
import type { PendingBatch } from './lane.ts';
import type { LaneStrategy, Offered, PendingBefore, RoundResult, Sending, SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, LaneState, QueuePeek } from './lane-store.ts';
import { loadHead, QUEUE_PEEK, type QueueHead } from './load-head.ts';
import { giveUpBatches } from './reconcile-pending.ts';
import { resendInOrder } from './resend-in-order.ts';
import { sendNext } from './send-next.ts';
import { isRefundTurn, sendRefund } from './send-refunds.ts';
import { isSoloTurn, sendSolo } from './send-solo.ts';

export function sequencedLane(deps: SequencedLaneDeps, lease: LaneLease, state: LaneState): LaneStrategy {
  return {
    offerAgain: (open, unheard) => offerAgain(deps, lease, state, open, unheard),
    sendQueued: (pending) => sendQueued(deps, lease, state, pending),
  };
}

async function offerAgain(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  state: LaneState,
  open: readonly PendingBatch[],
  unheard: readonly PendingBatch[],
): Promise<Offered> {
  const { chain } = deps;
  const [first] = open;
  if (first === undefined || unheard.length === 0) return { givenUp: [], stalled: state.obstacle !== null };
  const { lowest, highest } = await chain.nonceRange();
  const overtaken = unheard.filter(({ nonce }) => nonce < lowest);
  const givenUp = overtaken.length === 0 ? [] : await chain.findReplaced(overtaken);
  if (!(await giveUpBatches(deps, lease, givenUp))) return 'taken_over';
  const gap = first.nonce > highest;
  await noteObstacle(deps, lease, state, gap ? 'nonce_gap' : null, { database: first.nonce, chain: highest });
  const left = unheard.filter((batch) => !overtaken.includes(batch));
  // Behind a nonce gap no fee gets a transaction mined.
  const resent = await resendInOrder(deps, lease, open, left, { mayRaise: !gap });
  if (resent === 'taken_over') return resent;
  // Transactions behind one that no node takes, or behind a nonce gap, could not be mined either.
  return { givenUp, stalled: gap || resent === 'refused' };
}

async function sendQueued(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  state: LaneState,
  pending: PendingBefore,
): Promise<RoundResult> {
  const { store, pace } = deps;
  const { pendingBatches } = pending;
  if (state.obstacle !== null && pendingBatches.length === 0) return checkNonce(deps, lease, state);
  const { open, share } = state;
  if (!open || share === undefined || pendingBatches.length >= pace.maxInFlight) return 'empty';
  const waiting = await store.peekQueue(lease, share, QUEUE_PEEK);
  const sending = { ...pending, state, share };
  const solo = () => (waiting.solo ? sendSolo(deps, lease, sending) : Promise.resolve('empty' as const));
  const refund = () =>
    waiting.refunds ? sendRefund(deps, lease, sending, waiting) : Promise.resolve('empty' as const);
  if (isSoloTurn(state.nextNonce)) {
    const sent = await solo();
    if (sent === 'moved' || sent === 'taken_over') return sent;
  }
  if (isRefundTurn(state.nextNonce)) {
    const sent = await refund();
    if (sent === 'moved' || sent === 'taken_over') return sent;
  }
  const common = await sendRipe(deps, lease, sending, waiting);
  if (common === 'moved' || common === 'taken_over') return common;
  const sent = await solo();
  if (sent !== 'empty') return sent;
  const back = await refund();
  if (back === 'moved' || back === 'taken_over') return back;
  if (common !== 'empty') return common;
  if (back !== 'empty') return back;
  // Payments gather, or their payers wait for a turn: the lane stays awake for them.
  return waiting.count > 0 || waiting.solo ? 'waiting' : 'empty';
}

/** Sends the common queue's head, unless it is worth waiting for further payments. `empty` when nothing is sent. */
async function sendRipe(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  { count, oldestAtMs }: QueuePeek,
): Promise<RoundResult> {
  const { chain, clock, pace } = deps;
  const inFlight = sending.pendingBatches.length - sending.recording;
  const gathering = { waitedMs: clock.nowMs() - oldestAtMs, inFlight };
  if (count === 0) return 'empty';
  if (count >= QUEUE_PEEK || hasGathered(gathering, pace.gatherMs)) return sendCommon(deps, lease, sending);
  if (count < WORTH_A_LOOK) return 'empty';
  const head = await loadHead(deps, lease, sending.share);
  const { filled } = chain.fit(head.queue);
  return isRipe(gathering, pace.gatherMs, filled) ? sendCommon(deps, lease, sending, head) : 'empty';
}

async function sendCommon(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  head?: QueueHead,
): Promise<RoundResult> {
  if (sending.pendingBatches.length === 0) {
    const nonce = await checkNonce(deps, lease, sending.state);
    if (nonce !== 'empty') return nonce;
  }
  return sendNext(deps, lease, sending, head);
}
