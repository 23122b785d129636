// Where every transaction carries one payment and none waits for another, as many as there is room for go in one round:
// played side by side, stored in one commit, and only then sent, side by side again.
import { newId } from '@svc-pay/protocol/ids';
import { atOnce } from './at-once.ts';
import { broadcastAll, MOST_AT_ONCE } from './broadcast-all.ts';
import { isOver, type Judged, judge, setAside } from './judge-rehearsal.ts';
import type { FlyingBatch, LaneItem } from './lane.ts';
import { ChainUnavailable } from './lane-chain.ts';
import type { LaneParts, RoundEnd } from './lane-parts.ts';
import type { BatchToStore, HeldLane, LaneState } from './lane-store.ts';
import { latestOf } from './tend-flight.ts';

type SinglesToSend = {
  readonly state: LaneState;
  readonly flight: readonly FlyingBatch[];
  readonly queue: readonly LaneItem[];
};

export async function sendSingles(
  parts: LaneParts,
  held: HeldLane,
  { state, flight, queue }: SinglesToSend,
): Promise<RoundEnd> {
  const { store, pace } = parts;
  const stuck = flight.length > 0 ? 'waiting' : 'blocked';
  const items = queue.slice(0, pace.maxInFlight - flight.length);
  const judged = await rehearseAll(parts, items);
  const unsent = judged.filter(isOver);
  if (unsent.length > 0 && !(await store.recordUnsent(held, unsent))) return 'taken_over';
  const good = judged.filter(({ outcome }) => outcome === 'settled').map(({ item }) => item);
  const doubtful = judged.filter((one) => one.outcome !== 'settled' && !isOver(one)).map(({ item }) => item);
  await setAside(parts, held, doubtful);
  if (good.length === 0) return unsent.length > 0 ? 'moved' : stuck;
  const batches = await affordable(parts, flight, await sign(parts, good, state.nextNonce));
  if (batches.length === 0) {
    if (flight.length === 0) await store.noteUnfit(held, 'empty');
    return stuck;
  }
  // Not stored: somebody else holds the lane, or took one of these payments. Nothing was sent; look again.
  if (!(await store.storeBatches(held, batches))) return 'moved';
  const flying = batches.map(({ id, signed }) => ({ id, transactions: [signed] }));
  await store.markBroadcast(held, await broadcastAll(parts, flying));
  return 'moved';
}

/** Those about which the chain said something. One that it was silent about is played again in the next round. */
async function rehearseAll({ chain, log }: LaneParts, items: readonly LaneItem[]): Promise<readonly Judged[]> {
  let silent: ChainUnavailable | undefined;
  const heard = await atOnce(MOST_AT_ONCE, items, async (item): Promise<readonly Judged[]> => {
    try {
      const rehearsal = await chain.rehearse([item]);
      if (rehearsal.ok) return judge([item], rehearsal);
      const { cause, reason } = rehearsal;
      log('warn', { what: 'transaction refused', cause, reason, items: 1 });
      return [{ item, outcome: 'unsure' }];
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      silent = problem;
      return [];
    }
  });
  const judged = heard.flat();
  if (judged.length === 0 && silent !== undefined) throw silent;
  return judged;
}

async function sign(
  { chain, clock }: LaneParts,
  items: readonly LaneItem[],
  firstNonce: bigint,
): Promise<readonly BatchToStore[]> {
  return atOnce(MOST_AT_ONCE, items, async (item, index) => {
    const nonce = firstNonce + BigInt(index);
    return { id: newId('batch', clock.nowMs()), nonce, signed: await chain.sign([item], nonce), items: [item] };
  });
}

/** As many of the first as the relayer’s coins pay for beside what flies. */
async function affordable(
  { chain, log }: LaneParts,
  flight: readonly FlyingBatch[],
  batches: readonly BatchToStore[],
): Promise<readonly BatchToStore[]> {
  const flying = flight.map(latestOf);
  for (let count = batches.length; count > 0; count = Math.floor(count / 2)) {
    const some = batches.slice(0, count);
    if (await chain.affords([...flying, ...some.map(({ signed }) => signed)])) return some;
    log('warn', { what: 'the relayer’s coins do not pay for it', items: count });
  }
  return [];
}
