// What a rehearsal says of each payment: it goes, it ends here, or it is left aside for a while.
import { judgeItem } from './judge-item.ts';
import type { LaneItem } from './lane.ts';
import type { ItemOutcome, Rehearsal } from './lane-chain.ts';
import type { LaneParts } from './lane-parts.ts';
import type { HeldLane, UnsentItem } from './lane-store.ts';

export type Judged = { readonly item: LaneItem; readonly outcome: ItemOutcome | 'unsure' };

/** No block from now on can carry a payment whose time is over, whatever else is wrong. */
export function judge(items: readonly LaneItem[], rehearsal: Rehearsal): readonly Judged[] {
  return items.map((item, index) => {
    // What is recovered was submitted in time.
    if (item.recovery === undefined && item.validBeforeSeconds <= rehearsal.chainTimeSeconds)
      return { item, outcome: 'expired' };
    return { item, outcome: rehearsal.ok ? (rehearsal.outcomes[index] ?? 'malformed') : 'settled' };
  });
}

export function isOver(judged: Judged): judged is UnsentItem {
  const { outcome } = judged;
  return outcome !== 'settled' && outcome !== 'unsure' && judgeItem(outcome).end !== 'queued';
}

export async function setAside(
  { store, clock, pace }: LaneParts,
  held: HeldLane,
  items: readonly LaneItem[],
): Promise<void> {
  if (items.length > 0) await store.defer(held, items, clock.nowMs() + pace.deferMs);
}
