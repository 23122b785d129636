// Reads what a mined transaction did with a stranded transfer. The money came earlier, so no transfer from the payer is
// expected: two consecutive events of the processor prove that it was settled, or one event that it was returned.
import type { LaneItem } from '@svc-pay/core';
import { isExpectedFee } from '../processor/expected-fee.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import type { ItemEvidence } from './item-evidence.ts';
import { dataWord, hasTopics, SETTLED, STRANDED_RETURNED, STRANDED_SETTLED, wordOf } from './settlement-logs.ts';

/** One per item; the transaction of a stranded transfer carries one item. */
export function readStrandedEvidence(items: readonly LaneItem[], logs: readonly LaneLog[]): readonly ItemEvidence[] {
  return items.map((item) => {
    const own = logs.filter(({ address }) => address === item.processor.toLowerCase());
    return item.strandedTransfer?.action === 'return' ? readReturn(item, own) : readSettled(item, own);
  });
}

function readSettled(item: LaneItem, own: readonly LaneLog[]): ItemEvidence {
  const parties = [wordOf(item.intentCode), wordOf(item.payer), wordOf(item.asset)] as const;
  const at = own.findIndex((log) => hasTopics(log, STRANDED_SETTLED, ...parties) && log.data === wordOf(item.nonce));
  const event = own[at + 1];
  if (at === -1 || event === undefined || !hasTopics(event, SETTLED, ...parties)) return { outcome: 'no_evidence' };
  const terms = [item.payout.id, item.capAtomic, item.settledAtomic];
  const feeAtomic = dataWord(event, terms.length);
  if (feeAtomic === undefined || terms.some((term, index) => dataWord(event, index) !== term)) {
    return { outcome: 'no_evidence' };
  }
  if (!isExpectedFee(item, feeAtomic)) return { outcome: 'no_evidence' };
  return { outcome: 'settled', logIndex: event.logIndex, transferLogIndex: event.logIndex, feeAtomic };
}

function readReturn(item: LaneItem, own: readonly LaneLog[]): ItemEvidence {
  const event = own.find(
    (log) =>
      hasTopics(log, STRANDED_RETURNED, wordOf(item.payer), wordOf(item.asset), wordOf(item.nonce)) &&
      log.data === wordOf(item.capAtomic),
  );
  if (event === undefined) return { outcome: 'no_evidence' };
  return { outcome: 'settled', logIndex: event.logIndex, transferLogIndex: event.logIndex, feeAtomic: 0n };
}
