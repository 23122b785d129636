// The work of a lane, round by round. Each round first looks after what flies, then sends what waits. Any round may be the
// last one of this process: whatever it leaves behind stands in the database, and the next round takes it up from there.

import { newId } from '@svc-pay/protocol/ids';
import type { Clock } from '../clock.ts';
import { isConfirmedBatch } from './is-confirmed.ts';
import { judgeItem } from './judge-item.ts';
import type { FlyingBatch, LaneItem } from './lane.ts';
import { type Broadcast, ChainUnavailable, type LaneChain, type MinedBatch } from './lane-chain.ts';
import type { HeldLane, LaneState, LaneStore, UnsentItem } from './lane-store.ts';

export type LanePace = {
  /** Transactions of one lane under way at once. */
  readonly maxInFlight: number;
  /**
   * Beside transactions in flight a batch that is not full waits this long for company, once for each of them: the more
   * is on its way to the next block, the less is won by one more transaction.
   */
  readonly gatherMs: number;
  /** Pause between two looks. */
  readonly pollMs: number;
  /** The same bytes are offered again when nothing was heard of them for this long. */
  readonly resendMs: number;
  /** Pause after trouble that a moment may heal: the chain is out of reach, or refuses the whole transaction. */
  readonly troubleMs: number;
};

export type LaneParts = {
  readonly store: LaneStore;
  readonly chain: LaneChain;
  readonly clock: Clock;
  readonly pace: LanePace;
  readonly log: (level: 'info' | 'warn', event: LaneEvent) => void;
};

export type LaneEvent = { readonly what: string } & Readonly<Record<string, unknown>>;

/** `moved`: look again at once. `waiting`: something flies or gathers. `blocked`: try again after a pause. */
export type RoundEnd = 'moved' | 'waiting' | 'blocked' | 'empty' | 'taken_over';

/** No transaction carries more. */
const QUEUE_PEEK = 200;
/** Head of the queue that is looked at for one transaction; more than one carries, as it may be of several tokens. */
const QUEUE_HEAD = 400;
/** Groups of payments that are tried in one round while the chain refuses those before them. */
const MAX_REFUSED_GROUPS = 4;

export async function laneRound(parts: LaneParts, held: HeldLane): Promise<RoundEnd> {
  const state = await parts.store.beat(held);
  if (state === undefined) return 'taken_over';
  try {
    return await round(parts, held, state);
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    parts.log('warn', { what: 'chain out of reach', reason: problem.message });
    return 'blocked';
  }
}

async function round(parts: LaneParts, held: HeldLane, state: LaneState): Promise<RoundEnd> {
  const flight = await parts.store.loadFlight(held);
  const landed = await lookAfter(parts, held, flight);
  if (landed === 'taken_over') return landed;
  const flying = flight.length - landed;
  const sent = state.open && flying < parts.pace.maxInFlight ? await sendNext(parts, held, state, flying) : 'empty';
  if (sent !== 'empty') return sent;
  if (landed > 0) return 'moved';
  return flying > 0 ? 'waiting' : 'empty';
}

/** Sends what was signed and never sent, records what is mined. Answers how many batches are no longer in flight. */
async function lookAfter(
  { store, chain, clock, pace, log }: LaneParts,
  held: HeldLane,
  flight: readonly FlyingBatch[],
): Promise<number | 'taken_over'> {
  if (flight.length === 0) return 0;
  const mined = await chain.findMined(flight.filter(({ status }) => status === 'broadcast'));
  let landed = 0;
  for (const batch of flight) {
    const found = mined.find(({ batchId }) => batchId === batch.id);
    if (found === undefined || !isConfirmedBatch(found, batch.items)) continue;
    landed += 1;
    if (!(await store.recordMined(held, batch, found))) return 'taken_over';
    log('info', minedEvent(batch, found));
  }
  const nowMs = clock.nowMs();
  const unheard = flight.filter(
    (batch) =>
      !mined.some(({ batchId }) => batchId === batch.id) &&
      (batch.status === 'signed' || nowMs - batch.sentAtMs >= pace.resendMs),
  );
  const offered: string[] = [];
  for (const batch of unheard) {
    const latest = batch.transactions.at(-1);
    if (latest === undefined) throw new Error(`batch ${batch.id} has no transaction`);
    const broadcast = await chain.broadcast(latest.raw);
    noteBroadcast(log, batch.id, latest.transactionId, broadcast);
    if (broadcast.outcome !== 'not_sent') offered.push(batch.id);
  }
  if (offered.length > 0) await store.markBroadcast(held, offered);
  return landed;
}

async function sendNext(parts: LaneParts, held: HeldLane, state: LaneState, flying: number): Promise<RoundEnd> {
  const { store, chain, clock, pace, log } = parts;
  const waiting = await store.peekQueue(held, state.share, QUEUE_PEEK);
  if (waiting.count === 0) return 'empty';
  const ripe = waiting.count >= QUEUE_PEEK || clock.nowMs() - waiting.oldestAtMs >= flying * pace.gatherMs;
  if (!ripe) return 'waiting';

  let queue = await store.loadQueue(held, state.share, QUEUE_HEAD);
  if (queue.length === 0)
    log('warn', { what: 'queued payments have no authorization or payout', count: waiting.count });
  for (let refused = 0; refused < MAX_REFUSED_GROUPS && queue.length > 0; refused += 1) {
    const { items } = chain.fit(queue);
    const rehearsal = await chain.rehearse(items);
    const judged = items.map((item, index) => ({
      item,
      outcome: isOver(item, rehearsal.chainTimeSeconds)
        ? ('expired' as const)
        : rehearsal.ok
          ? (rehearsal.outcomes[index] ?? 'malformed')
          : ('settled' as const),
    }));
    const unsent = judged.filter(
      (entry): entry is UnsentItem => entry.outcome !== 'settled' && judgeItem(entry.outcome).end !== 'queued',
    );
    if (unsent.length > 0 && !(await store.recordUnsent(held, unsent))) return 'taken_over';
    if (rehearsal.ok) {
      const good = judged.filter(({ outcome }) => outcome === 'settled').map(({ item }) => item);
      if (good.length > 0) return send(parts, held, state.nextNonce, good);
      if (unsent.length > 0) return 'moved';
    } else {
      log('warn', { what: 'transaction refused', reason: rehearsal.reason, items: items.length });
    }
    queue = queue.filter((item) => !items.includes(item));
  }
  return flying > 0 ? 'waiting' : 'blocked';
}

/** From here on the payments may be on the chain: the bytes are stored before anybody else sees them. */
async function send(
  { store, chain, clock, log }: LaneParts,
  held: HeldLane,
  nonce: bigint,
  items: readonly LaneItem[],
): Promise<RoundEnd> {
  const signed = await chain.sign(items, nonce);
  const id = newId('batch', clock.nowMs());
  // Not stored: somebody else holds the lane, or took one of these payments. Nothing was sent; look again.
  if (!(await store.storeBatch(held, { id, nonce, signed, items }))) return 'moved';
  const broadcast = await chain.broadcast(signed.raw);
  noteBroadcast(log, id, signed.transactionId, broadcast);
  if (broadcast.outcome === 'not_sent') return 'blocked';
  await store.markBroadcast(held, [id]);
  return 'moved';
}

/** No block from now on can carry it. */
function isOver({ validBeforeSeconds, recovery }: LaneItem, chainTimeSeconds: bigint): boolean {
  return recovery === undefined && validBeforeSeconds <= chainTimeSeconds;
}

function noteBroadcast(log: LaneParts['log'], batchId: string, transactionId: string, broadcast: Broadcast): void {
  const level = broadcast.outcome === 'known' ? 'info' : 'warn';
  log(level, { what: 'sent', batchId, transactionId, ...broadcast });
}

function minedEvent(batch: FlyingBatch, mined: MinedBatch): LaneEvent {
  const settled = mined.items.filter(({ outcome }) => outcome === 'settled').length;
  const { transactionId } = mined;
  return { what: 'mined', batchId: batch.id, transactionId, items: batch.items.length, settled };
}
