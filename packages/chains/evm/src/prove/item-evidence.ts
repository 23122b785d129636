// Reads what a mined transaction did to each of its payments. The processor's event alone proves nothing: directly
// before it the token must have logged the transfer of the payer's money.
import type { ItemOutcome, LaneItem } from '@svc-pay/core';
import { isExpectedFee } from '../processor/expected-fee.ts';
import { groupItems } from '../processor/group-items.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import { dataWord, FAILED, failureOf, hasTopics, isApproval, isTransfer, SETTLED, wordOf } from './settlement-logs.ts';

export type ItemEvidence =
  | {
      readonly outcome: 'settled';
      readonly logIndex: number;
      readonly transferLogIndex: number;
      readonly feeAtomic: bigint;
    }
  | { readonly outcome: Exclude<ItemOutcome, 'settled'> | 'no_evidence' };

/** One per item, in the order given. An event counts for one item only; items are matched in the processor's order. */
export function readEvidence(
  items: readonly LaneItem[],
  logs: readonly LaneLog[],
  isRightFee = isExpectedFee,
): readonly ItemEvidence[] {
  const evidence: ItemEvidence[] = items.map(() => ({ outcome: 'no_evidence' }));
  const spoken = new Set<LaneLog>();
  for (const group of groupItems(items)) {
    for (const [index, item] of group.items.entries()) {
      const event = logs.find((log) => !spoken.has(log) && speaksOf(log, item));
      const position = group.positions[index];
      if (event === undefined || position === undefined) continue;
      spoken.add(event);
      evidence[position] = judge(item, event, logs, isRightFee);
    }
  }
  return evidence;
}

function speaksOf(log: LaneLog, item: LaneItem): boolean {
  if (log.address !== item.processor.toLowerCase()) return false;
  const code = wordOf(item.intentCode);
  const payer = wordOf(item.payer);
  return hasTopics(log, SETTLED, code, payer, wordOf(item.asset)) || hasTopics(log, FAILED, code, payer);
}

function judge(
  item: LaneItem,
  event: LaneLog,
  logs: readonly LaneLog[],
  isRightFee: typeof isExpectedFee,
): ItemEvidence {
  if (event.topics[0] === FAILED) return { outcome: failureOf(event) ?? 'no_evidence' };
  const terms = [item.payout.id, item.capAtomic, item.settledAtomic];
  const feeAtomic = dataWord(event, terms.length);
  if (feeAtomic === undefined || terms.some((term, index) => dataWord(event, index) !== term)) {
    return { outcome: 'no_evidence' };
  }
  if (!isRightFee(item, feeAtomic)) return { outcome: 'no_evidence' };
  const transfer = tokenWordBefore(item, event, logs);
  if (transfer === undefined || !isTransfer(transfer, item.payer, item.processor, item.capAtomic)) {
    return { outcome: 'no_evidence' };
  }
  return { outcome: 'settled', logIndex: event.logIndex, transferLogIndex: transfer.logIndex, feeAtomic };
}

/** The token's last log before the event. After a log of the processor in between, it belongs to another payment. */
function tokenWordBefore(item: LaneItem, event: LaneLog, logs: readonly LaneLog[]): LaneLog | undefined {
  const token = item.asset.toLowerCase();
  for (let index = logs.indexOf(event) - 1; index >= 0; index -= 1) {
    const log = logs[index];
    if (log === undefined || log.address === item.processor.toLowerCase()) return undefined;
    if (log.address !== token) continue;
    // A token that spends an allowance may log the remaining allowance after the transfer.
    if (item.kind === 'permit' && isApproval(log, item.payer, item.processor)) continue;
    return log;
  }
  return undefined;
}
