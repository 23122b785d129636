// Transactions that wallets were shown. A row never changes; prepared again under the same blockhash it is the same row.
import { type Caller, isoTime, type PreparedTransaction } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type TransferColumn, transferColumn, transferOf } from '../lanes/lane-item-row.ts';

type Row = {
  readonly payer: string;
  readonly network: NetworkId;
  readonly position: number;
  readonly transfer: TransferColumn;
  readonly message_hash: Buffer;
  readonly wire: Buffer;
};

const COLUMNS = 'payer, network, position, transfer, message_hash, wire';

const STORE = {
  name: 'store-prepared',
  text: `
    insert into svc.prepared_transfers (
      account_id, mode, intent_id, payer, blockhash, position, network, relayer, transfer, message_hash, wire, created_at
    ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    on conflict do nothing`,
};
const FIND = {
  name: 'find-prepared',
  text: `
    select ${COLUMNS} from svc.prepared_transfers
    where account_id = $1 and mode = $2 and intent_id = $3 and payer = $4 and blockhash = $5
    order by position`,
};

/** Answers what is stored now: another one may have been prepared for the same moment. */
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
    values: [
      caller.accountId,
      caller.mode,
      intentId,
      payer,
      transfer.blockhash,
      position,
      network,
      transfer.relayer,
      transferColumn(transfer),
      Buffer.from(messageHash, 'hex'),
      Buffer.from(wire),
      isoTime(nowMs),
    ],
  });
  const stored = await findPrepared(pool, caller, intentId, payer, transfer.blockhash);
  return stored.find((one) => one.position === position) ?? prepared;
}

/** One for each acceptance that it was prepared for. */
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
