// Simulates one payment of the solo queue by itself.
import { underCap, unminedAtomic } from './fit-under-cap.ts';
import { isOver, judgeSimulation, setAside } from './judge-simulation.ts';
import type { LaneItem } from './lane.ts';
import { ChainUnavailable, type SimulationResult } from './lane-chain.ts';
import { idsOf, payoutIdsOf, type Sending, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease } from './lane-store.ts';

export type PassedSolo = { readonly item: LaneItem; readonly capRoomAtomic: bigint | undefined };

/** One that does not pass gets its result, or is deferred. */
export async function simulateSolo(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  { unmined }: Sending,
  item: LaneItem,
): Promise<PassedSolo | 'ended' | 'aside' | 'taken_over'> {
  const { store, log } = deps;
  const simulation = item.payout.withdrawn ? undefined : await simulateSingle(deps, item);
  const judged = simulation === undefined ? [] : judgeSimulation([item], simulation);
  const unsent = judged.filter(isOver);
  if (unsent.length > 0) return (await store.recordUnsent(lease, unsent)) ? 'ended' : 'taken_over';
  if (simulation?.ok === false) {
    const { cause, reason } = simulation;
    log('simulation_refused', { cause, reason, ...idsOf([item]) });
    if (cause === 'not_allowed') await store.noteUnfit(lease, 'not_allowed');
  }
  const isWithdrawn = judged.some(({ outcome }) => outcome === 'withdrawn');
  if (isWithdrawn) log('direct_payments_deferred', { payoutIds: payoutIdsOf([item]), ...idsOf([item]) });
  const passes = simulation?.ok === true && judged.every(({ outcome }) => outcome === 'settled');
  const capRoomAtomic = simulation?.capRoomAtomic;
  const { fits } = underCap([item], capRoomAtomic, unminedAtomic(unmined, item));
  if (passes && fits.length > 0) return { item, capRoomAtomic };
  await setAside(deps, lease, [item]);
  return 'aside';
}

/** Undefined when no node answered: a wallet whose code breaks the simulation delays only its own payments. */
async function simulateSingle(
  { chain, log }: SequencedLaneDeps,
  item: LaneItem,
): Promise<SimulationResult | undefined> {
  try {
    return await chain.simulate([item]);
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    log('simulation_unanswered', { reason: problem.message, ...idsOf([item]) });
    return undefined;
  }
}
