// Reads what a mined transaction did to each of its direct payments, by the token's own logs: the use of the payer's
// nonce and, as the token's very next log, the transfer of exactly the signed value to the merchant's wallet. A token
// with another order of logs takes no direct payments. What the batch contract logs proves no payment.
import type { ItemOutcome, LaneItem } from '@svc-pay/core';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { readDirectRefusals } from '../direct/direct-batch-call.ts';
import { groupItems } from '../processor/group-items.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import type { ItemEvidence } from './item-evidence.ts';
import { AUTHORIZATION_USED, isTransfer, wordOf } from './settlement-logs.ts';

/**
 * One per item, in the order given; all items have the same token. `logs` are all logs of one receipt, in their order.
 * A log counts for one item only.
 */
export function readDirectEvidence(items: readonly LaneItem[], logs: readonly LaneLog[]): readonly ItemEvidence[] {
  const [head] = items;
  if (head === undefined) return [];
  const token = head.asset.toLowerCase();
  const own = logs.filter(({ address }) => address === token);
  const uses = new Map(own.flatMap((log, index) => (isUse(log) ? [[useKey(log.topics), index]] : [])));
  const refusals = readRefusals(items, logs);
  const counted = new Set<LaneLog>();
  return items.map((item, position) => {
    const at = uses.get(useKey([AUTHORIZATION_USED, wordOf(item.payer), wordOf(item.nonce)]));
    if (at === undefined) return { outcome: refusals.get(position) ?? 'no_evidence' };
    const transfer = own[at + 1];
    if (transfer === undefined || counted.has(transfer) || !isPaid(item, transfer)) return USED_ELSEWHERE;
    counted.add(transfer);
    const { logIndex } = transfer;
    return { outcome: 'settled', logIndex, transferLogIndex: logIndex, feeAtomic: 0n };
  });
}

/** The nonce is used, and no transfer of the payment follows: other money moved, or a fee was taken from it. */
const USED_ELSEWHERE: ItemEvidence = { outcome: 'authorization_used' };

const isUse = ({ topics, data }: LaneLog): boolean =>
  topics.length === 3 && topics[0] === AUTHORIZATION_USED && data === '0x';

const useKey = (topics: readonly string[]): string => topics.join(' ');

const isPaid = ({ payer, processor, capAtomic }: LaneItem, log: LaneLog): boolean =>
  isTransfer(log, payer, processor, capAtomic);

const BATCH = DIRECT_BATCH_ADDRESS.toLowerCase();

type Refusals = ReadonlyMap<number, Exclude<ItemOutcome, 'settled'>>;

/** By position in `items`: why the token refused them, as far as the batch contract tells; it counts by groups. */
function readRefusals(items: readonly LaneItem[], logs: readonly LaneLog[]): Refusals {
  const refused = readDirectRefusals(logs.filter(({ address }) => address === BATCH));
  if (refused.size === 0) return new Map();
  const positions = groupItems(items).flatMap((group) => group.positions);
  return new Map(
    [...refused].flatMap(([index, outcome]) => {
      const position = positions[index];
      return position === undefined || outcome === 'settled' ? [] : [[position, outcome]];
    }),
  );
}
