// Ledger entries of payments that one on-chain transaction caused and that are not reversed.
import type { LaneItem, LedgerEntry } from '@svc-pay/core';
import type pg from 'pg';
import { entriesOfPayment } from '../database/entries-of-payment.ts';

type Row = {
  readonly account_id: LedgerEntry['accountId'];
  readonly mode: LedgerEntry['mode'];
  readonly id: LedgerEntry['id'];
  readonly payment_id: LedgerEntry['paymentId'];
  readonly network: LedgerEntry['network'];
  readonly asset: string;
  readonly account_name: LedgerEntry['accountName'];
  readonly party: string;
  readonly amount: string;
  readonly transaction_id: string;
  readonly log_index: number;
  readonly created_at: Date;
};

export const LOAD_LIVE_ENTRIES = {
  name: 'load-live-entries',
  text: `
    with entry as materialized (
      select e.* from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
      cross join lateral ${entriesOfPayment('item')} e
    )
    select * from entry
    where transaction_id = $4 and reverses is null
      and id not in (select back.reverses from entry back where back.reverses is not null)
    order by id`,
};

/** Entries by payment id. */
export async function loadLiveEntries(
  client: pg.ClientBase,
  items: readonly LaneItem[],
  transactionId: string,
): Promise<ReadonlyMap<string, readonly LedgerEntry[]>> {
  const { rows } = await client.query<Row>({
    ...LOAD_LIVE_ENTRIES,
    values: [
      items.map(({ accountId }) => accountId),
      items.map(({ mode }) => mode),
      items.map(({ paymentId }) => paymentId),
      transactionId,
    ],
  });
  return Map.groupBy(
    rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      mode: row.mode,
      paymentId: row.payment_id,
      network: row.network,
      asset: row.asset,
      accountName: row.account_name,
      party: row.party,
      amountAtomic: BigInt(row.amount),
      transactionId: row.transaction_id,
      logIndex: row.log_index,
      reverses: null,
      createdAtMs: row.created_at.getTime(),
    })),
    ({ paymentId }) => paymentId,
  );
}
