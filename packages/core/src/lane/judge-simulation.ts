// Decides from a simulation whether each payment is sent, gets its result now, or is deferred.
import { judgeItem } from './judge-item.ts';
import type { LaneItem } from './lane.ts';
import type { SimulatedOutcome, SimulationResult } from './lane-chain.ts';
import type { LaneDeps } from './lane-deps.ts';
import type { LaneLease, UnsentItem } from './lane-store.ts';

export type Judged = { readonly item: LaneItem; readonly outcome: SimulatedOutcome };

/**
 * A payment whose window ends before or with the next expected block is expired. Exception: money may have moved. Then
 * the payment is not failed by the clock: if the chain says that the intent is settled or the authorization used, that
 * outcome stands. If the whole simulation was refused and the payment has a batch limit (a batch with it reverted
 * before), a reorg may have revived that batch, so the outcome is `unsure`.
 */
export function judgeSimulation(items: readonly LaneItem[], simulation: SimulationResult): readonly Judged[] {
  const nextBlockSeconds = simulation.chainTimeSeconds + (simulation.blockSeconds ?? 0n);
  return items.map((item, index) => {
    const told = simulation.ok ? (simulation.outcomes[index] ?? 'malformed') : undefined;
    // The authorization of a stranded transfer was submitted in time.
    const isLate = item.strandedTransfer === undefined && item.validBeforeSeconds <= nextBlockSeconds;
    if (!isLate) return { item, outcome: told ?? 'settled' };
    if (told === 'intent_already_settled' || told === 'authorization_used') return { item, outcome: told };
    return { item, outcome: told === undefined && item.batchLimit !== undefined ? 'unsure' : 'expired' };
  });
}

export function isOver(judged: Judged): judged is Judged & UnsentItem {
  const { item, outcome } = judged;
  if (outcome === 'settled' || outcome === 'unsure' || outcome === 'withdrawn') return false;
  return judgeItem(item, outcome).end !== 'queued';
}

export async function setAside(
  { store, clock, pace }: LaneDeps,
  lease: LaneLease,
  items: readonly LaneItem[],
  forMs = pace.deferMs,
): Promise<void> {
  if (items.length > 0) await store.defer(lease, items, clock.nowMs() + forMs);
}
