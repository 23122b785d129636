// Ledger entries of payments that one on-chain transaction caused and that are not reversed.
import type { LaneItem, LedgerEntry } from '@svc-pay/core';
import type pg from 'pg';

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

const LOAD = {
  name: 'load-live-entries',
  text: `
    select entry.* from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
    join svc.ledger_entries entry
      on entry.account_id = item.account_id and entry.mode = item.mode and entry.payment_id = item.payment_id
    where entry.transaction_id = $4 and entry.reverses is null and not exists (
      select from svc.ledger_entries back
      where back.account_id = entry.account_id and back.mode = entry.mode and back.payment_id = entry.payment_id
        and back.reverses = entry.id
    )
    order by entry.id`,
};

/** Entries by payment id. */
export async function loadLiveEntries(
  client: pg.ClientBase,
  items: readonly LaneItem[],
  transactionId: string,
): Promise<ReadonlyMap<string, readonly LedgerEntry[]>> {
  const { rows } = await client.query<Row>({
    ...LOAD,
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
