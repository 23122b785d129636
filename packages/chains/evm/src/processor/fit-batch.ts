// Chooses the payments of the next transaction. The head of the queue always goes; payments that can share a
// transaction with it go along, and the others keep their positions.
import { type Fitting, isDirect, type LaneItem, transactionKey } from '@svc-pay/core';
import { createGasMeter } from './gas-limit.ts';
import { normalSignature } from './key-signature.ts';

/** The processor's own limit; `DirectBatch` has none. */
export const MAX_BATCH_ITEMS = 200;
/** A transaction may not have more gas than 16,777,216 (EIP-7825). 200 payments of 200 payers to one payout fit. */
export const MAX_BATCH_GAS = 16_700_000n;

export function fitBatch(queue: readonly LaneItem[], callGas: bigint): Fitting {
  const [head] = queue;
  if (head === undefined) return { items: [], filled: 0 };
  if (goesAlone(head)) return { items: [head], filled: 1 };
  const meter = createGasMeter(callGas);
  const items: LaneItem[] = [];
  for (const item of queue) {
    if (items.length === MAX_BATCH_ITEMS) break;
    if (!sharesWith(head, item)) continue;
    if (items.length > 0 && meter.upTo(item) > MAX_BATCH_GAS) return { items, filled: 1 };
    meter.add(item);
    items.push(item);
  }
  return { items, filled: Math.max(items.length / MAX_BATCH_ITEMS, meter.filled(MAX_BATCH_GAS)) };
}

/** An EIP-3009 authorization signed by a key and small enough for the packed form. Every other payment goes single. */
export function goesInBatch(item: LaneItem): boolean {
  if (isDirect(item)) return goesInDirectBatch(item);
  return (
    item.strandedTransfer === undefined &&
    item.kind !== 'permit' &&
    !item.byContract &&
    item.capAtomic >> 128n === 0n &&
    item.settledAtomic >> 128n === 0n &&
    item.validAfterSeconds >> 64n === 0n &&
    item.validBeforeSeconds >> 64n === 0n &&
    normalSignature(item.signature) !== undefined
  );
}

function goesInDirectBatch(item: LaneItem): boolean {
  return (
    item.kind === 'transfer_with_authorization' &&
    !item.byContract &&
    item.capAtomic >> 96n === 0n &&
    item.validAfterSeconds >> 40n === 0n &&
    item.validBeforeSeconds >> 40n === 0n &&
    normalSignature(item.signature) !== undefined
  );
}

/** A payer whose transfer recently used up its gas goes in a batch of one, which limits it to its stipend. */
const goesAlone = (item: LaneItem) => item.solo === true || !goesInBatch(item);

function sharesWith(head: LaneItem, item: LaneItem): boolean {
  return transactionKey(item) === transactionKey(head) && !goesAlone(item);
}
