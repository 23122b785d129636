// From the queue to the chain. Whatever can go, goes: a transaction that is refused as a whole is tried with half of its
// payments, down to one, and a payment that is refused alone is left aside for a while, so that nobody waits behind it.
import { newId } from '@svc-pay/protocol/ids';
import { checkNonce } from './check-nonce.ts';
import { isOver, judge, setAside } from './judge-rehearsal.ts';
import type { FlyingBatch, LaneItem } from './lane.ts';
import { type LaneParts, noteBroadcast, type RoundEnd } from './lane-parts.ts';
import type { HeldLane, LaneState, QueueShare } from './lane-store.ts';
import { sendSingles } from './send-singles.ts';
import { latestOf } from './tend-flight.ts';

/** No transaction carries more. */
const QUEUE_PEEK = 200;
/** Head of the queue that is looked at where one transaction can't carry the first of it, as they are of several tokens. */
const QUEUE_HEAD = 400;
/** Rehearsals of one round: enough to halve the largest batch down to one, and to go on from there. */
const MAX_REHEARSALS = 16;

/** Of what is bound to a lane all is its own; nothing else waits where transactions expire. */
const ALL: QueueShare = { index: 0, count: 1 };

export async function sendNext(
  parts: LaneParts,
  held: HeldLane,
  state: LaneState,
  flight: readonly FlyingBatch[],
): Promise<RoundEnd> {
  const { store, chain, clock, pace, log } = parts;
  const share = state.share ?? (chain.expiring ? ALL : undefined);
  if (share === undefined) return 'empty';
  const waiting = await store.peekQueue(held, share, QUEUE_PEEK);
  if (waiting.count === 0) return 'empty';
  const ripe = waiting.count >= QUEUE_PEEK || clock.nowMs() - waiting.oldestAtMs >= flight.length * pace.gatherMs;
  if (!ripe) return 'waiting';
  if (flight.length === 0) {
    const nonce = await checkNonce(parts, held, state);
    if (nonce !== 'empty') return nonce;
  }

  let queue = await store.loadQueue(held, share, chain.expiring ? QUEUE_HEAD : QUEUE_PEEK);
  if (queue.length === QUEUE_PEEK && isMixed(queue)) queue = await store.loadQueue(held, share, QUEUE_HEAD);
  if (chain.expiring && queue.length > 0) return sendSingles(parts, held, { state, flight, queue });
  if (queue.length === 0)
    log('warn', { what: 'queued payments have no authorization or payout', count: waiting.count });
  const stuck = flight.length > 0 ? 'waiting' : 'blocked';
  const aside: LaneItem[] = [];
  let most = QUEUE_PEEK;
  for (let tried = 0; tried < MAX_REHEARSALS && queue.length > 0; tried += 1) {
    const items = atMost(chain.fit(queue).items, most);
    const rehearsal = await chain.rehearse(items);
    const judged = judge(items, rehearsal);
    const unsent = judged.filter(isOver);
    if (unsent.length > 0 && !(await store.recordUnsent(held, unsent))) return 'taken_over';
    queue = queue.filter((item) => !unsent.some((over) => over.item === item));
    if (rehearsal.ok) {
      const good = judged.filter(({ outcome }) => outcome === 'settled').map(({ item }) => item);
      if (good.length > 0) {
        await setAside(parts, held, aside);
        const sent = await send(parts, held, state.nextNonce, good, flight);
        if (sent !== 'too_dear') return sent;
        if (good.length === 1 && flight.length === 0) await store.noteUnfit(held, 'empty');
        if (good.length === 1 || flight.length > 0) return stuck;
        most = Math.floor(good.length / 2);
        continue;
      }
      if (unsent.length > 0) return 'moved';
      aside.push(...items);
      queue = without(queue, items);
      continue;
    }
    const { cause, reason } = rehearsal;
    log('warn', { what: 'transaction refused', cause, reason, items: items.length });
    if (cause === 'not_allowed') await store.noteUnfit(held, 'not_allowed');
    if (cause === 'paused' || cause === 'not_allowed') {
      const [head] = items;
      queue = queue.filter(({ processor }) => processor !== head?.processor);
      most = QUEUE_PEEK;
    } else if (items.length > 1) {
      most = Math.floor(items.length / 2);
    } else {
      aside.push(...items);
      queue = without(queue, items);
      most = QUEUE_PEEK;
    }
  }
  await setAside(parts, held, aside);
  return stuck;
}

const isMixed = (queue: readonly LaneItem[]) =>
  queue.some(({ processor, asset }) => processor !== queue[0]?.processor || asset !== queue[0].asset);

/** From the head on; a payment whose batch reverted brings its own limit along. */
function atMost(items: readonly LaneItem[], most: number): readonly LaneItem[] {
  let limit = most;
  const taken: LaneItem[] = [];
  for (const item of items) {
    const its = item.batchLimit ?? most;
    // One with a narrower limit than what is there already goes in a later transaction.
    if (taken.length >= limit || its <= taken.length) continue;
    taken.push(item);
    limit = Math.min(limit, its);
  }
  return taken;
}

const without = (queue: readonly LaneItem[], gone: readonly LaneItem[]) => queue.filter((item) => !gone.includes(item));

/** From here on the payments may be on the chain: the bytes are stored before anybody else sees them. */
async function send(
  { store, chain, clock, log }: LaneParts,
  held: HeldLane,
  nonce: bigint,
  items: readonly LaneItem[],
  flight: readonly FlyingBatch[],
): Promise<RoundEnd | 'too_dear'> {
  const signed = await chain.sign(items, nonce);
  if (!(await chain.affords([...flight.map(latestOf), signed]))) {
    log('warn', { what: 'the relayer’s coins do not pay for it', items: items.length });
    return 'too_dear';
  }
  const id = newId('batch', clock.nowMs());
  // Not stored: somebody else holds the lane, or took one of these payments. Nothing was sent; look again.
  if (!(await store.storeBatches(held, [{ id, nonce, signed, items }]))) return 'moved';
  const broadcast = await chain.broadcast(signed.raw);
  noteBroadcast(log, id, signed.transactionId, broadcast);
  if (broadcast.outcome === 'not_sent') return 'blocked';
  await store.markBroadcast(held, [id]);
  return 'moved';
}
