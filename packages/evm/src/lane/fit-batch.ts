// What of the queue shares the next transaction. The head always goes; whoever can share with it goes along, and the
// others keep their places.
import type { LaneItem } from '@svc-pay/core';
import { createGasMeter } from './gas-limit.ts';
import { normalSignature } from './key-signature.ts';

/** The processor's own limit. */
export const MAX_BATCH_ITEMS = 200;
/** A transaction may not ask for more than 16,777,216 (EIP-7825); the rest is room for what the formula cannot know. */
export const MAX_BATCH_GAS = 16_000_000n;

export function fitBatch(
  queue: readonly LaneItem[],
  callGas: bigint,
): { readonly items: readonly LaneItem[]; readonly full: boolean } {
  const [head] = queue;
  if (head === undefined) return { items: [], full: false };
  if (!goesInBatch(head)) return { items: [head], full: true };
  const meter = createGasMeter(callGas);
  const items: LaneItem[] = [];
  for (const item of queue) {
    if (items.length === MAX_BATCH_ITEMS) break;
    if (!sharesWith(head, item)) continue;
    if (items.length > 0 && meter.upTo(item) > MAX_BATCH_GAS) return { items, full: true };
    meter.add(item);
    items.push(item);
  }
  return { items, full: items.length === MAX_BATCH_ITEMS };
}

/** An EIP-3009 authorization signed by a key, of a size that the packed form holds. Everything else goes alone. */
export function goesInBatch(item: LaneItem): boolean {
  return (
    item.recovery === undefined &&
    item.kind !== 'permit' &&
    !item.byContract &&
    item.capAtomic >> 128n === 0n &&
    item.settledAtomic >> 128n === 0n &&
    item.validAfterSeconds >> 64n === 0n &&
    item.validBeforeSeconds >> 64n === 0n &&
    normalSignature(item.signature) !== undefined
  );
}

function sharesWith(head: LaneItem, item: LaneItem): boolean {
  return item.processor === head.processor && item.asset === head.asset && goesInBatch(item);
}
