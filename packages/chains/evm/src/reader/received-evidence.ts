// What a call of `pay()` did with the money, by the receipt of its transaction. Directly before the processor's event the
// token logs the transfer of the payer's money; after it the processor pays the shares: splits, merchant and last the fee.
import type { ProcessorLog, ReceivedEvidence } from '@svc-pay/core';
import { dataWord, hasTopics, isApproval, isTransfer, readLeg, wordOf } from '../prove/settlement-logs.ts';
import { type RawLog, RECEIVED } from './money-logs.ts';
import { readReceiptLogs } from './receipt-logs.ts';

/** Undefined without a receipt, and for a receipt that does not show the event with its transfer and its shares. */
export function receivedEvidenceOf(received: ProcessorLog, receipt: unknown): ReceivedEvidence | undefined {
  const { position, amountAtomic, feeAtomic } = received;
  const read = readReceiptLogs(position, receipt);
  const index = read?.logs.findIndex((log) => isEvent(log, received)) ?? -1;
  if (read === undefined || index < 0) return undefined;
  const transfer = transferBefore(read.logs.slice(0, index), received);
  const shares = sharesAfter(read.logs.slice(index + 1), received);
  if (transfer === undefined || shares.reduce((sum, leg) => sum + leg.amountAtomic, 0n) !== amountAtomic) {
    return undefined;
  }
  const last = shares.at(-1);
  if (feeAtomic > 0n && last?.amountAtomic !== feeAtomic) return undefined;
  return {
    transactionId: position.transactionId,
    blockHash: read.blockHash,
    legs: {
      transferLogIndex: transfer.logIndex,
      feeRecipient: feeAtomic > 0n ? (last?.to ?? '') : '',
      escrowedFor: [...new Set(shares.filter(({ escrowed }) => escrowed).map(({ to }) => to))],
    },
  };
}

function isEvent(log: RawLog, { address, position, intentCode, payer, asset, payoutId, amountAtomic }: ProcessorLog) {
  return (
    log.address === address &&
    log.logIndex === position.logIndex &&
    hasTopics(log, RECEIVED, wordOf(intentCode), wordOf(payer), wordOf(asset)) &&
    dataWord(log, 0) === payoutId &&
    dataWord(log, 1) === amountAtomic
  );
}

/** The token's last log before the event. A token may log the remaining allowance after the transfer. */
function transferBefore(
  before: readonly RawLog[],
  { address, asset, payer, amountAtomic }: ProcessorLog,
): RawLog | undefined {
  const last = before.findLast((log) => log.address === asset && !isApproval(log, payer, address));
  return last !== undefined && isTransfer(last, payer, address, amountAtomic) ? last : undefined;
}

/** The legs after the event until the amount is spent: what follows is of another call. */
function sharesAfter(after: readonly RawLog[], { address, asset, amountAtomic }: ProcessorLog) {
  const shares = [];
  let rest = amountAtomic;
  for (const log of after) {
    const leg = readLeg(log, address, asset);
    if (leg === undefined) continue;
    if (rest <= 0n) break;
    shares.push(leg);
    rest -= leg.amountAtomic;
  }
  return shares;
}
