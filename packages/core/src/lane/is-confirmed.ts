import type { LaneItem } from './lane.ts';
import type { MinedBatch } from './lane-chain.ts';

/** A batch is recorded as a whole, so it waits for the highest confirmation count among its payments. */
export function isConfirmedBatch({ confirmations }: MinedBatch, items: readonly LaneItem[]): boolean {
  return items.every((item) => confirmations >= BigInt(item.confirmations));
}
