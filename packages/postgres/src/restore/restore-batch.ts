// Restores the batch of a transaction that the chain has. The batch is stored as `broadcast`, so that the lane's own
// steps record its result.
import { isoTime, type LaneLease, type OnChainTransaction } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { giveUpBatch } from '../lane/record-replaced.ts';

export type RestoredBatch = {
  readonly id: string;
  /** `recorded`: the batch's result is already in the database. */
  readonly was: 'missing' | 'pending' | 'recorded';
};

type Row = { readonly id: string; readonly status: string; readonly transaction_id: string };

/** Runs in the caller's transaction, which must have checked the lease. */
export async function restoreBatch(
  client: pg.ClientBase,
  lease: LaneLease,
  onChain: OnChainTransaction,
  nowMs: number,
): Promise<RestoredBatch> {
  const known = await client.query<Row>(
    `select b.id, b.status, b.transaction_id from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
     where t.network = $1 and t.transaction_id = $2 and b.status not in ('replaced', 'dropped')`,
    [onChain.network, onChain.transactionId],
  );
  if (known.rows[0] !== undefined) return { id: known.rows[0].id, was: stateOf(known.rows[0]) };
  const beside = await atNonce(client, onChain);
  if (beside !== undefined) {
    if (stateOf(beside) === 'recorded')
      throw new Error(
        `nonce ${onChain.nonce} of ${onChain.relayer} is recorded as ${beside.transaction_id}, the chain has ${onChain.transactionId}`,
      );
    if (await carriesTheSame(client, beside.id, onChain)) {
      await addTransaction(client, beside.id, onChain, nowMs);
      return { id: beside.id, was: 'pending' };
    }
    // Another transaction was mined under the nonce, so the stored batch can no longer be mined.
    await giveUpBatch(client, beside.id, nowMs);
  }
  const id = newId('batch', nowMs);
  await client.query(
    `insert into svc.batches (
       id, network, relayer, mode, nonce, epoch, status, item_count, transaction_id, created_at, updated_at
     )
     select $3, network, address, mode, $4, $5, 'broadcast', greatest($6::integer, 1), $7, $8, $8
     from svc.relayers where network = $1 and address = $2`,
    [
      onChain.network,
      onChain.relayer,
      id,
      onChain.nonce.toString(),
      lease.epoch.toString(),
      onChain.carried.length,
      onChain.transactionId,
      isoTime(nowMs),
    ],
  );
  await addTransaction(client, id, onChain, nowMs);
  return { id, was: 'missing' };
}

const stateOf = ({ status }: Row) => (status === 'signed' || status === 'broadcast' ? 'pending' : 'recorded');

async function atNonce(
  client: pg.ClientBase,
  { network, relayer, nonce }: OnChainTransaction,
): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(
    `select id, status, transaction_id from svc.batches
     where network = $1 and relayer = $2 and nonce = $3 and status not in ('replaced', 'dropped')`,
    [network, relayer, nonce.toString()],
  );
  return rows[0];
}

/** True if the on-chain transaction is a fee bump of the batch: a fee bump carries the same payments. */
async function carriesTheSame(
  client: pg.ClientBase,
  batchId: string,
  { carried }: OnChainTransaction,
): Promise<boolean> {
  const { rows } = await client.query<{ code: string }>(
    'select intent_code::text as code from svc.settlements where batch_id = $1',
    [batchId],
  );
  const called = new Set(carried.map(({ intentCode }) => intentCode.toString()));
  return rows.length > 0 && rows.every(({ code }) => called.has(code));
}

async function addTransaction(
  client: pg.ClientBase,
  batchId: string,
  { network, transactionId, raw }: OnChainTransaction,
  nowMs: number,
): Promise<void> {
  await client.query(
    `insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
     select $1, $2, id, mode, $4, $5 from svc.batches where id = $3`,
    [network, transactionId, batchId, Buffer.from(raw), isoTime(nowMs)],
  );
}
