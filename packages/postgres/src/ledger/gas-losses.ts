// Gas losses: gas that settled no payment, in `svc.gas_losses`. What is written here counts against gas budgets too.
// The caller's transaction must have locked the batch's row.
import { type GasLoss, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { writeBudgetUses } from '../budget/write-budget-uses.ts';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { insertText } from '../database/insert-text.ts';
import { columnArrays } from '../database/statement-parameters.ts';

type Row = {
  readonly id: GasLoss['id'];
  readonly network: GasLoss['network'];
  readonly relayer: string;
  readonly batch_id: string;
  readonly transaction_id: string;
  readonly account_id: GasLoss['accountId'];
  readonly payment_id: GasLoss['paymentId'];
  readonly payer: string | null;
  readonly code_hash: Buffer | null;
  readonly cause: GasLoss['cause'];
  readonly amount: string;
  readonly reverses: GasLoss['reverses'];
  readonly created_at: Date;
};

const LOAD = {
  name: 'load-gas-losses',
  text: 'select * from svc.gas_losses where batch_id = any ($1) order by id',
};

/** All gas losses of these batches, reversed ones included, by batch id. */
export async function loadLosses(
  client: pg.ClientBase,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly GasLoss[]>> {
  if (batchIds.length === 0) return new Map();
  const { rows } = await client.query<Row>({ ...LOAD, values: [batchIds] });
  return Map.groupBy(
    rows.map((row) => ({
      id: row.id,
      network: row.network,
      relayer: row.relayer,
      batchId: row.batch_id,
      transactionId: row.transaction_id,
      accountId: row.account_id,
      paymentId: row.payment_id,
      payer: row.payer,
      codeHash: row.code_hash && `0x${row.code_hash.toString('hex')}`,
      cause: row.cause,
      amountAtomic: BigInt(row.amount),
      reverses: row.reverses,
      createdAtMs: row.created_at.getTime(),
    })),
    ({ batchId }) => batchId,
  );
}

const LOST = columnArrays<GasLoss>({
  id: ['text', ({ id }) => id],
  network: ['text', ({ network }) => network],
  relayer: ['text', ({ relayer }) => relayer],
  batch_id: ['text', ({ batchId }) => batchId],
  transaction_id: ['text', ({ transactionId }) => transactionId],
  account_id: ['text', ({ accountId }) => accountId],
  payment_id: ['text', ({ paymentId }) => paymentId],
  payer: ['text', ({ payer }) => payer],
  code_hash: ['bytea', ({ codeHash }) => (codeHash ? bytesOfHex(codeHash) : null)],
  cause: ['text', ({ cause }) => cause],
  amount: ['numeric', ({ amountAtomic }) => amountAtomic.toString()],
  reverses: ['text', ({ reverses }) => reverses],
  created_at: ['timestamptz', ({ createdAtMs }) => isoTime(createdAtMs)],
});
const WRITE = {
  name: 'write-gas-losses',
  text: insertText(
    'svc.gas_losses',
    {
      id: 'lost.id',
      network: 'lost.network',
      relayer: 'lost.relayer',
      mode: 'batch.mode',
      batch_id: 'batch.id',
      transaction_id: 'lost.transaction_id',
      account_id: 'lost.account_id',
      payment_id: 'lost.payment_id',
      payer: 'lost.payer',
      code_hash: 'lost.code_hash',
      cause: 'lost.cause',
      amount: 'lost.amount',
      reverses: 'lost.reverses',
      created_at: 'lost.created_at',
    },
    `from ${LOST.unnest('lost')} left join svc.batches batch on batch.id = lost.batch_id`,
  ),
};

export async function writeLosses(client: pg.ClientBase, losses: readonly GasLoss[]): Promise<void> {
  if (losses.length === 0) return;
  await client.query({ ...WRITE, values: LOST.values(losses) });
  await writeBudgetUses(client, losses);
}
