// Solana transactions that were prepared for wallets to sign. A row never changes; preparing the same transfer again
// under the same blockhash finds the same row.
import { type Caller, isoTime, type PreparedTransaction } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { type TransferColumn, transferColumn, transferOf } from './lane-item-row.ts';

type Row = {
  readonly payer: string;
  readonly network: NetworkId;
  readonly position: number;
  readonly transfer: TransferColumn;
  readonly message_hash: Buffer;
  readonly wire: Buffer;
};

const COLUMNS = 'payer, network, position, transfer, message_hash, wire';

const PREPARED = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  payer: 'text',
  blockhash: 'text',
  position: 'integer',
  network: 'text',
  relayer: 'text',
  transfer: 'jsonb',
  message_hash: 'bytea',
  wire: 'bytea',
  created_at: 'timestamptz',
});
const STORE = {
  name: 'store-prepared',
  text: `${insertText('svc.prepared_transfers', PREPARED.at)} on conflict do nothing`,
};
const FIND = {
  name: 'find-prepared',
  text: `
    select ${COLUMNS} from svc.prepared_transfers
    where account_id = $1 and mode = $2 and intent_id = $3 and payer = $4 and blockhash = $5
    order by position`,
};

/** Returns the stored row, which may be one that another request prepared under the same blockhash. */
export async function storePrepared(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  prepared: PreparedTransaction,
  nowMs: number,
): Promise<PreparedTransaction> {
  const { payer, network, position, transfer, messageHash, wire } = prepared;
  await pool.query({
    ...STORE,
    values: PREPARED.values({
      account_id: caller.accountId,
      mode: caller.mode,
      intent_id: intentId,
      payer,
      blockhash: transfer.blockhash,
      position,
      network,
      relayer: transfer.relayer,
      transfer: transferColumn(transfer),
      message_hash: Buffer.from(messageHash, 'hex'),
      wire: Buffer.from(wire),
      created_at: isoTime(nowMs),
    }),
  });
  const stored = await findPrepared(pool, caller, intentId, payer, transfer.blockhash);
  return stored.find((one) => one.position === position) ?? prepared;
}

/** One row for each acceptance that was prepared, ordered by position. */
export async function findPrepared(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  payer: string,
  blockhash: string,
): Promise<readonly PreparedTransaction[]> {
  const { rows } = await pool.query<Row>({ ...FIND, values: [accountId, mode, intentId, payer, blockhash] });
  return rows.map((row) => ({
    payer: row.payer,
    network: row.network,
    position: row.position,
    transfer: transferOf(row.transfer),
    messageHash: row.message_hash.toString('hex'),
    wire: row.wire,
  }));
}

export async function dropOldPrepared(pool: pg.Pool, beforeMs: number): Promise<void> {
  await pool.query({
    name: 'drop-old-prepared',
    text: 'delete from svc.prepared_transfers where created_at < $1',
    values: [isoTime(beforeMs)],
  });
}
