// A log of the chain reader as a row of `svc.read_logs`.
import type { MoneyLog } from '@svc-pay/core';
import { columnArrays } from '../database/statement-parameters.ts';

export const READ_LOG_COLUMNS = 'transaction_id, log_index, address, block_number, block_hash, event, log';

export type ReadLogRow = {
  readonly transaction_id: string;
  readonly log_index: number;
  readonly address: string;
  readonly block_number: string;
  readonly block_hash: string;
  readonly event: MoneyLog['event'];
  readonly log: Readonly<Record<string, string>>;
};

export function moneyLogOf(row: ReadLogRow): MoneyLog {
  const { address, event, log } = row;
  const text = (name: string): string => {
    const value = log[name];
    if (value === undefined) throw new Error(`log ${row.log_index} of ${row.transaction_id} has no ${name}`);
    return value;
  };
  const position = {
    blockNumber: BigInt(row.block_number),
    blockHash: row.block_hash,
    transactionId: row.transaction_id,
    logIndex: row.log_index,
  };
  if (event === 'authorization_used' || event === 'authorization_canceled') {
    return { event, address, position, payer: text('payer'), nonce: text('nonce') };
  }
  return {
    event,
    address,
    position,
    intentCode: BigInt(text('intentCode')),
    payer: text('payer'),
    asset: text('asset'),
    payoutId: BigInt(text('payoutId')),
    amountAtomic: BigInt(text('amountAtomic')),
    feeAtomic: BigInt(text('feeAtomic')),
  };
}

/** Columns of a row beside network and time of reading, from the third parameter on. */
export const LOG_ARRAYS = columnArrays<MoneyLog>(
  {
    transaction_id: ['text', ({ position }) => position.transactionId],
    log_index: ['integer', ({ position }) => position.logIndex],
    address: ['text', ({ address }) => address],
    block_number: ['bigint', ({ position }) => position.blockNumber.toString()],
    block_hash: ['text', ({ position }) => position.blockHash],
    event: ['text', ({ event }) => event],
    log: ['jsonb', (log) => JSON.stringify(fieldsOf(log))],
  },
  3,
);

function fieldsOf(log: MoneyLog): Readonly<Record<string, string>> {
  if ('nonce' in log) return { payer: log.payer, nonce: log.nonce };
  const { intentCode, payer, asset, payoutId, amountAtomic, feeAtomic } = log;
  return {
    intentCode: intentCode.toString(),
    payer,
    asset,
    payoutId: payoutId.toString(),
    amountAtomic: amountAtomic.toString(),
    feeAtomic: feeAtomic.toString(),
  };
}
