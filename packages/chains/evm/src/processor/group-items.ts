// Groups a batch's payments by payout, as the processor takes them. Groups are in the order of their first payments, so
// the order follows from the items and needs no record of its own.
import type { LaneItem } from '@svc-pay/core';

export type ItemGroup = {
  readonly payout: LaneItem['payout'];
  readonly items: readonly LaneItem[];
  /** Position of each item in the batch. */
  readonly positions: readonly number[];
};

export function groupItems(items: readonly LaneItem[]): readonly ItemGroup[] {
  const groups = new Map<bigint, { payout: LaneItem['payout']; items: LaneItem[]; positions: number[] }>();
  for (const [position, item] of items.entries()) {
    const group = groups.get(item.payout.id) ?? { payout: item.payout, items: [], positions: [] };
    group.items.push(item);
    group.positions.push(position);
    groups.set(item.payout.id, group);
  }
  return [...groups.values()];
}

/** Outcomes that the chain gave in the order of the groups, in the order of the items. */
export function inItemOrder<Outcome>(items: readonly LaneItem[], grouped: readonly Outcome[]): readonly Outcome[] {
  const outcomes = Array.from(grouped);
  const positions = groupItems(items).flatMap((group) => group.positions);
  for (const [index, outcome] of grouped.entries()) outcomes[positions[index] ?? index] = outcome;
  return outcomes;
}
