import { createHash } from 'node:crypto';
import type { MoneyLog } from './money-log.ts';

/** Equal for equal logs in equal order. Every field counts, whatever the order in which an object names them. */
export function digestLogs(logs: readonly MoneyLog[]): string {
  const hash = createHash('sha256');
  for (const log of logs) hash.update(`${lineOf(log)}\n`);
  return hash.digest('hex');
}

function lineOf(log: MoneyLog): string {
  const { event, address, payer, position } = log;
  const { blockNumber, blockHash, transactionId, logIndex } = position;
  const common = [event, address, payer, blockNumber, blockHash, transactionId, logIndex];
  const own = 'nonce' in log ? [log.nonce] : [log.intentCode, log.asset, log.payoutId, log.amountAtomic, log.feeAtomic];
  return [...common, ...own].join(' ');
}
