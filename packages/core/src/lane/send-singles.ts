// Sends payments in one transaction each: simulates them concurrently, stores them in one commit, then broadcasts them
// concurrently.
import { newId } from '@svc-pay/protocol/ids';
import { broadcastAll, MOST_AT_ONCE } from './broadcast-all.ts';
import { isOver, type Judged, judgeSimulation, setAside } from './judge-simulation.ts';
import { type LaneItem, latestTransaction, type PendingBatch } from './lane.ts';
import { ChainUnavailable } from './lane-chain.ts';
import { type ExpiringLaneDeps, idsOf, type LaneDeps, type RoundResult } from './lane-deps.ts';
import type { BatchToStore, LaneLease } from './lane-store.ts';
import { mapConcurrent } from './map-concurrent.ts';

type SinglesToSend = {
  readonly items: readonly LaneItem[];
  readonly firstNonce: bigint;
  readonly pendingBatches: readonly PendingBatch[];
};

export async function sendSingles(
  deps: ExpiringLaneDeps,
  lease: LaneLease,
  { items, firstNonce, pendingBatches }: SinglesToSend,
): Promise<RoundResult> {
  const { store } = deps;
  const stuck = pendingBatches.length > 0 ? 'waiting' : 'blocked';
  const judged = await simulateAll(deps, items);
  const unsent = judged.filter(isOver);
  if (unsent.length > 0 && !(await store.recordUnsent(lease, unsent))) return 'taken_over';
  const good = judged.filter(({ outcome }) => outcome === 'settled').map(({ item }) => item);
  const doubtful = judged.filter((one) => one.outcome !== 'settled' && !isOver(one)).map(({ item }) => item);
  await setAside(deps, lease, doubtful);
  if (good.length === 0) return unsent.length > 0 ? 'moved' : stuck;
  const batches = await affordable(deps, pendingBatches, await sign(deps, good, firstNonce));
  if (batches.length === 0) {
    if (pendingBatches.length === 0) await store.noteUnfit(lease, 'empty');
    return stuck;
  }
  // Not stored: another process has the lease, or took one of these payments. Nothing was sent; run the next round.
  if (!(await store.storeBatches(lease, batches))) return 'moved';
  const pending = batches.map(({ id, signed, items: own }) => ({ id, items: own, transactions: [signed] }));
  await store.recordAttempts(lease, await broadcastAll(deps, pending, { isFirst: true }));
  return 'moved';
}

/** Payments for which the chain answered. The next round simulates the others again. */
async function simulateAll({ chain, log }: ExpiringLaneDeps, items: readonly LaneItem[]): Promise<readonly Judged[]> {
  let silent: ChainUnavailable | undefined;
  const heard = await mapConcurrent(MOST_AT_ONCE, items, async (item): Promise<readonly Judged[]> => {
    try {
      const simulation = await chain.simulate([item]);
      if (simulation.ok) return judgeSimulation([item], simulation);
      const { cause, reason } = simulation;
      log('simulation_refused', { cause, reason, ...idsOf([item]) });
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
  { chain, clock }: ExpiringLaneDeps,
  items: readonly LaneItem[],
  firstNonce: bigint,
): Promise<readonly BatchToStore[]> {
  return mapConcurrent(MOST_AT_ONCE, items, async (item, index) => {
    const nonce = firstNonce + BigInt(index);
    return { id: newId('batch', clock.nowMs()), nonce, signed: await chain.sign([item], nonce), items: [item] };
  });
}

/** Longest prefix, by halving, that the relayer's balance covers together with the pending batches. */
export async function affordable(
  { chain, log }: Pick<LaneDeps, 'chain' | 'log'>,
  pendingBatches: readonly PendingBatch[],
  batches: readonly BatchToStore[],
): Promise<readonly BatchToStore[]> {
  const pending = pendingBatches.map(latestTransaction);
  for (let count = batches.length; count > 0; count = Math.floor(count / 2)) {
    const some = batches.slice(0, count);
    if (await chain.affords([...pending, ...some.map(({ signed }) => signed)])) return some;
    log('relayer_cannot_pay', idsOf(some.flatMap(({ items }) => items)));
  }
  return [];
}
