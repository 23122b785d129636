// Sends payments of the common queue. A transaction that is refused as a whole is bisected, and the half that passes is
// sent; a single payment that is refused is deferred, so that no payment waits behind it.

import { underCap, unminedAtomic } from './fit-under-cap.ts';
import { isOver, type Judged, judgeSimulation, setAside } from './judge-simulation.ts';
import type { LaneItem } from './lane.ts';
import type { WholeRefusal } from './lane-chain.ts';
import { idsOf, payoutIdsOf, type RoundResult, type Sending, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease } from './lane-store.ts';
import { loadHead, loadOn, QUEUE_PEEK, type QueueHead } from './load-head.ts';
import { sendBatch } from './send-batch.ts';

/** Simulations per round: two for each halving of the largest batch, and some to continue from there. */
const MAX_SIMULATIONS = 20;

/** `loaded`: the head of the queue, where this round has read it already. */
export async function sendNext(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  loaded?: QueueHead,
): Promise<RoundResult> {
  const { chain, log } = deps;
  const { pendingBatches, share } = sending;
  let head = loaded ?? (await loadHead(deps, lease, share));
  if (head.queue.length === 0) log('queued_payments_unusable', { share: share.index, shares: share.count });
  const round: Round = { deps, lease, sending, aside: [], later: [], simulations: 0 };
  let queue = withoutWithdrawn(round, head.queue);
  let most = QUEUE_PEEK;
  while (queue.length > 0 && round.simulations < MAX_SIMULATIONS) {
    const items = atMost(chain.fit(queue).items, most);
    let tried = await trySending(round, items);
    if (head.isShort && (tried.end === 'refused' || tried.end === 'nothing')) {
      const read = head.queue.length;
      head = await loadOn(deps, lease, share, head);
      queue = [...queue, ...withoutWithdrawn(round, head.queue.slice(read))];
    }
    if (tried.end === 'refused' && tried.cause === 'whole_lane') {
      const [first] = items;
      const stopped = queue.filter(({ processor }) => processor === first?.processor);
      queue = queue.filter((item) => !stopped.includes(item));
      // Direct payments may wait behind these.
      if (queue.length === 0 && !head.isWhole) round.later.push(...stopped);
      continue;
    }
    if (tried.end === 'refused') tried = await bisect(round, tried.left);
    if (tried.end === 'too_dear') {
      most = Math.floor(tried.items / 2);
      continue;
    }
    if (tried.end !== 'refused' && tried.end !== 'nothing') {
      await setRoundAside(round);
      return tried.end;
    }
    queue = queue.filter((item) => !items.includes(item));
  }
  await setRoundAside(round);
  // The next round starts at once, with the payments behind those deferred for a minute.
  if (round.later.length > 0) return 'moved';
  return pendingBatches.length > 0 ? 'waiting' : 'blocked';
}

/** A payment through a withdrawn payout is deferred for a minute. */
function withoutWithdrawn({ later }: Round, queue: readonly LaneItem[]): readonly LaneItem[] {
  later.push(...queue.filter(({ payout }) => payout.withdrawn));
  return queue.filter(({ payout }) => !payout.withdrawn);
}

type Round = {
  readonly deps: SequencedLaneDeps;
  readonly lease: LaneLease;
  readonly sending: Sending;
  readonly aside: LaneItem[];
  /** Payments deferred for a minute: above the room under the hourly cap, through a withdrawn payout, or before others
   * that a stopped processor does not concern. */
  readonly later: LaneItem[];
  simulations: number;
};

/** The room under the cap grows by the hour, and the registry is read every few seconds. */
const LATER_MS = 60_000;

async function setRoundAside({ deps, lease, aside, later }: Round): Promise<void> {
  await setAside(deps, lease, aside);
  await setAside(deps, lease, later, LATER_MS);
}

type Tried =
  | { readonly end: RoundResult }
  /** None of these payments can be sent now, and this round can learn nothing more about them. */
  | { readonly end: 'nothing' }
  /** Refused as a whole. `left` holds the payments still to be tried. */
  | { readonly end: 'refused'; readonly cause: 'whole_lane' | 'these'; readonly left: readonly LaneItem[] }
  | { readonly end: 'too_dear'; readonly items: number };

/** Simulates these payments as one transaction and sends those that pass. */
async function trySending(round: Round, items: readonly LaneItem[]): Promise<Tried> {
  const { deps, lease, sending, aside } = round;
  const { state, pendingBatches, unmined } = sending;
  const { store, chain, log } = deps;
  round.simulations += 1;
  const simulation = await chain.simulate(items);
  const judged = judgeSimulation(items, simulation);
  const unsent = judged.filter(isOver);
  if (unsent.length > 0 && !(await store.recordUnsent(lease, unsent))) return { end: 'taken_over' };
  const passed = judged.filter(({ outcome }) => outcome === 'settled').map(({ item }) => item);
  const { fits, over } = underCap(passed, simulation.capRoomAtomic, unminedAtomic(unmined, items[0]));
  const withdrawn = judged.filter(({ outcome }) => outcome === 'withdrawn').map(({ item }) => item);
  if (withdrawn.length > 0) {
    log('direct_payments_deferred', { payoutIds: payoutIdsOf(withdrawn), ...idsOf(withdrawn) });
    round.later.push(...withdrawn);
  }
  if (over.length > 0) {
    log('hourly_cap_reached', { paymentIds: over.map(({ paymentId }) => paymentId) });
    round.later.push(...over);
  }
  if (!simulation.ok) {
    const { cause, reason } = simulation;
    log('simulation_refused', { cause, reason, ...idsOf(items) });
    if (cause === 'not_allowed') await store.noteUnfit(lease, 'not_allowed');
    if (stopsLane(cause)) return { end: 'refused', cause: 'whole_lane', left: [] };
    // Without the payments above the cap the rest may pass unchanged.
    if (fits.length > 0 && fits.length < items.length) return trySending(round, fits);
    if (fits.length > 1) return { end: 'refused', cause: 'these', left: fits };
    aside.push(...fits, ...doubtful(judged));
    return { end: unsent.length > 0 ? 'moved' : 'nothing' };
  }
  if (fits.length > 0) {
    const sent = await sendBatch(deps, lease, state.nextNonce, fits, pendingBatches);
    if (sent !== 'too_dear') return { end: sent };
    if (fits.length > 1 && pendingBatches.length === 0) return { end: 'too_dear', items: fits.length };
    if (pendingBatches.length === 0) await store.noteUnfit(lease, 'empty');
    return { end: pendingBatches.length > 0 ? 'waiting' : 'blocked' };
  }
  aside.push(...doubtful(judged));
  return { end: unsent.length > 0 ? 'moved' : 'nothing' };
}

/** Payments that neither pass nor have a result, and are not deferred for a minute already. */
const doubtful = (judged: readonly Judged[]) =>
  judged
    .filter((one) => one.outcome !== 'settled' && one.outcome !== 'withdrawn' && !isOver(one))
    .map(({ item }) => item);

/** `paused` and `not_allowed` apply to every transaction of the lane to that processor. */
const stopsLane = (cause: WholeRefusal) => cause === 'paused' || cause === 'not_allowed';

/** Both halves are tried before the first refused one is halved again. */
async function bisect(round: Round, refused: readonly LaneItem[]): Promise<Tried> {
  let items = refused;
  while (items.length > 1 && round.simulations < MAX_SIMULATIONS) {
    const middle = Math.ceil(items.length / 2);
    let next: readonly LaneItem[] = [];
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      const tried = await trySending(round, half);
      if (tried.end === 'refused') next = next.length > 0 ? next : tried.left;
      else if (tried.end !== 'nothing') return tried;
    }
    items = next;
  }
  return { end: 'nothing' };
}

/** Takes items from the head on; a payment whose batch reverted limits the batch it joins. */
function atMost(items: readonly LaneItem[], most: number): readonly LaneItem[] {
  let limit = most;
  const taken: LaneItem[] = [];
  for (const item of items) {
    const its = item.batchLimit ?? most;
    // An item whose limit is reached already goes in a later transaction.
    if (taken.length >= limit || its <= taken.length) continue;
    taken.push(item);
    limit = Math.min(limit, its);
  }
  return taken;
}
