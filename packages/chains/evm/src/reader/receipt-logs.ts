// The logs of a receipt in which the chain reader looks for evidence, in their order.
import type { LogPosition } from '@svc-pay/core';
import { fieldOf } from '../rpc/ask-chain.ts';
import { hexOf, type RawLog, readRawLog, unusable } from './money-logs.ts';

export type ReceiptLogs = { readonly blockHash: string; readonly logs: readonly RawLog[] };

/**
 * Undefined without a receipt. Throws `ChainUnavailable` for a receipt that contradicts itself or is of another
 * transaction.
 */
export function readReceiptLogs(
  { transactionId }: Pick<LogPosition, 'transactionId'>,
  receipt: unknown,
): ReceiptLogs | undefined {
  if (receipt === null || receipt === undefined) return undefined;
  const listed = fieldOf(receipt, 'logs');
  if (!Array.isArray(listed) || hexOf(fieldOf(receipt, 'transactionHash'), 32) !== transactionId) {
    throw unusable(`another receipt than that of ${transactionId}`);
  }
  const blockHash = hexOf(fieldOf(receipt, 'blockHash'), 32);
  const logs = listed.map(readRawLog);
  if (logs.some((log) => log.transactionId !== transactionId || log.blockHash !== blockHash)) {
    throw unusable(`logs of another transaction in the receipt of ${transactionId}`);
  }
  return { blockHash, logs: logs.toSorted((one, other) => one.logIndex - other.logIndex) };
}
