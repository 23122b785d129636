// Computes which payments of a batch fit under the processor's hourly cap. The cap counts what a relayer moves of one
// token; a batch above it reverts as a whole.
import type { LaneItem, PendingBatch } from './lane.ts';

export type CapFit = {
  /** Payments that fit together, in their order. */
  readonly fits: readonly LaneItem[];
  /** Payments that exceed the room even in a batch of their own. */
  readonly over: readonly LaneItem[];
};

/** A payment in neither list fits by itself, but not together with earlier items and unmined batches. */
export function underCap(items: readonly LaneItem[], capRoomAtomic: bigint | undefined, takenAtomic: bigint): CapFit {
  if (capRoomAtomic === undefined) return { fits: items, over: [] };
  const over = items.filter(({ settledAtomic }) => settledAtomic > capRoomAtomic);
  let left = capRoomAtomic - takenAtomic;
  const fits = items.filter(({ settledAtomic }) => {
    if (settledAtomic > left) return false;
    left -= settledAtomic;
    return true;
  });
  return { fits, over };
}

/** Amount that unmined batches may still take of `item`'s cap. Mined batches are subtracted from the room already. */
export function unminedAtomic(unmined: readonly PendingBatch[], item: LaneItem | undefined): bigint {
  return unmined
    .flatMap(({ items }) => items)
    .filter(({ processor, asset }) => processor === item?.processor && asset === item.asset)
    .reduce((sum, { settledAtomic }) => sum + settledAtomic, 0n);
}
