// Solana transactions that were prepared for wallets to sign. A row never changes; preparing the same transfer again
// under the same blockhash finds the same row. Those of many payments are stored, and found, by one statement.
import { type Caller, isoTime, type PreparedTransaction } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { type TransferColumn, transferColumn, transferOf } from './lane-item-row.ts';

type Row = {
  readonly place: number;
  readonly payer: string;
  readonly network: NetworkId;
  readonly position: number;
  readonly transfer: TransferColumn;
  readonly message_hash: Buffer;
  readonly wire: Buffer;
};

export type PreparedToStore = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly prepared: PreparedTransaction;
  readonly nowMs: number;
};

export type WantedPrepared = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly payer: string;
  readonly blockhash: string;
};

const PREPARED = columnArrays<PreparedToStore>({
  account_id: ['text', ({ caller }) => caller.accountId],
  mode: ['text', ({ caller }) => caller.mode],
  intent_id: ['text', ({ intentId }) => intentId],
  payer: ['text', ({ prepared }) => prepared.payer],
  blockhash: ['text', ({ prepared }) => prepared.transfer.blockhash],
  position: ['integer', ({ prepared }) => prepared.position],
  network: ['text', ({ prepared }) => prepared.network],
  relayer: ['text', ({ prepared }) => prepared.transfer.relayer],
  transfer: ['jsonb', ({ prepared }) => transferColumn(prepared.transfer)],
  message_hash: ['bytea', ({ prepared }) => Buffer.from(prepared.messageHash, 'hex')],
  wire: ['bytea', ({ prepared }) => prepared.wire],
  created_at: ['timestamptz', ({ nowMs }) => isoTime(nowMs)],
});
const STORE = {
  name: 'store-prepared',
  text: `
    ${PREPARED.insertInto('svc.prepared_transfers')}
    on conflict do nothing
    returning account_id, mode, intent_id, payer, blockhash, position`,
};

const WANTED = columnArrays<WantedPrepared>({
  account_id: ['text', ({ caller }) => caller.accountId],
  mode: ['text', ({ caller }) => caller.mode],
  intent_id: ['text', ({ intentId }) => intentId],
  payer: ['text', ({ payer }) => payer],
  blockhash: ['text', ({ blockhash }) => blockhash],
});
const FIND = {
  name: 'find-prepared',
  text: `
    select wanted.place::integer as place, prepared.*
    from ${WANTED.unnestWithPlace('wanted')}
    cross join lateral (
      select payer, network, position, transfer, message_hash, wire from svc.prepared_transfers prepared
      where prepared.account_id = wanted.account_id and prepared.mode = wanted.mode
        and prepared.intent_id = wanted.intent_id and prepared.payer = wanted.payer
        and prepared.blockhash = wanted.blockhash
      order by position
      ${NOT_MERGED}
    ) prepared
    order by wanted.place, prepared.position`,
};

type StoredKey = {
  readonly account_id: string;
  readonly mode: string;
  readonly intent_id: string;
  readonly payer: string;
  readonly blockhash: string;
  readonly position: number;
};

/**
 * In the order given: the stored rows. One that was there before, or that comes first in `given` under the same key, counts
 * instead of the given one.
 */
export async function storePreparedOfMany(
  pool: pg.Pool,
  given: readonly PreparedToStore[],
): Promise<readonly PreparedTransaction[]> {
  const { rows } = await pool.query<StoredKey>({ ...STORE, values: PREPARED.values(given) });
  const written = new Set(rows.map((row) => keyOf(Object.values(row))));
  const others: PreparedToStore[] = [];
  for (const one of given) {
    const { caller, intentId, prepared } = one;
    const { payer, transfer, position } = prepared;
    // Of equal keys the first is the one that was written.
    const isOwn = written.delete(keyOf([caller.accountId, caller.mode, intentId, payer, transfer.blockhash, position]));
    if (!isOwn) others.push(one);
  }
  if (others.length === 0) return given.map(({ prepared }) => prepared);
  const found = await findPreparedOfMany(
    pool,
    others.map(({ caller, intentId, prepared: { payer, transfer } }) => ({
      caller,
      intentId,
      payer,
      blockhash: transfer.blockhash,
    })),
  );
  const storedOf = new Map(
    others.map((one, index) => [one, found[index]?.find(({ position }) => position === one.prepared.position)]),
  );
  return given.map((one) => storedOf.get(one) ?? one.prepared);
}

const keyOf = (parts: readonly (string | number)[]) => parts.join('\n');

/** In the order of `wanted`: one row for each acceptance that was prepared, ordered by position. */
export async function findPreparedOfMany(
  pool: pg.Pool,
  wanted: readonly WantedPrepared[],
): Promise<readonly (readonly PreparedTransaction[])[]> {
  const { rows } = await pool.query<Row>({ ...FIND, values: WANTED.values(wanted) });
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return wanted.map((_, index) =>
    (byPlace.get(index + 1) ?? []).map((row) => ({
      payer: row.payer,
      network: row.network,
      position: row.position,
      transfer: transferOf(row.transfer),
      messageHash: row.message_hash.toString('hex'),
      wire: row.wire,
    })),
  );
}

export async function dropOldPrepared(pool: pg.Pool, beforeMs: number): Promise<void> {
  await pool.query({
    name: 'drop-old-prepared',
    text: 'delete from svc.prepared_transfers where created_at < $1',
    values: [isoTime(beforeMs)],
  });
}
