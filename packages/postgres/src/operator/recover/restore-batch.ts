// A transaction that the chain has, as the batch that it once was: stored like before it was sent, so that from here on
// the lane's own steps record what became of it.
import { type HeldLane, isoTime, type SentTransaction } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { giveUpBatch } from '../../lanes/record-replaced.ts';

export type RestoredBatch = {
  readonly id: string;
  /** `recorded`: what became of it stands in the books already. */
  readonly was: 'missing' | 'flying' | 'recorded';
};

type Row = { readonly id: string; readonly status: string; readonly transaction_id: string };

/** Within the transaction of a holder of the lane. */
export async function restoreBatch(
  client: pg.ClientBase,
  held: HeldLane,
  sent: SentTransaction,
  nowMs: number,
): Promise<RestoredBatch> {
  const known = await client.query<Row>(
    `select b.id, b.status, b.transaction_id from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
     where t.network = $1 and t.transaction_id = $2 and b.status not in ('replaced', 'dropped')`,
    [sent.network, sent.transactionId],
  );
  if (known.rows[0] !== undefined) return { id: known.rows[0].id, was: stateOf(known.rows[0]) };
  const beside = await atNonce(client, sent);
  if (beside !== undefined) {
    if (stateOf(beside) === 'recorded')
      throw new Error(
        `nonce ${sent.nonce} of ${sent.relayer} is recorded as ${beside.transaction_id}, the chain has ${sent.transactionId}`,
      );
    if (await carriesTheSame(client, beside.id, sent)) {
      await addTransaction(client, beside.id, sent, nowMs);
      return { id: beside.id, was: 'flying' };
    }
    // Another transaction has its nonce: it can't be mined any more.
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
      sent.network,
      sent.relayer,
      id,
      sent.nonce.toString(),
      held.epoch.toString(),
      sent.carried.length,
      sent.transactionId,
      isoTime(nowMs),
    ],
  );
  await addTransaction(client, id, sent, nowMs);
  return { id, was: 'missing' };
}

const stateOf = ({ status }: Row) => (status === 'signed' || status === 'broadcast' ? 'flying' : 'recorded');

async function atNonce(client: pg.ClientBase, { network, relayer, nonce }: SentTransaction): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(
    `select id, status, transaction_id from svc.batches
     where network = $1 and relayer = $2 and nonce = $3 and status not in ('replaced', 'dropped')`,
    [network, relayer, nonce.toString()],
  );
  return rows[0];
}

/** A dearer transaction carries what the one before it carried. */
async function carriesTheSame(client: pg.ClientBase, batchId: string, { carried }: SentTransaction): Promise<boolean> {
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
  { network, transactionId, raw }: SentTransaction,
  nowMs: number,
): Promise<void> {
  await client.query(
    `insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
     select $1, $2, id, mode, $4, $5 from svc.batches where id = $3`,
    [network, transactionId, batchId, Buffer.from(raw), isoTime(nowMs)],
  );
}
