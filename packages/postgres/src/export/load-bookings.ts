// Entries of bookings, and what belongs to their payments.
import {
  type BookingEntry,
  type ExportedBooking,
  type ExportOrder,
  type LedgerAccount,
  MAX_METADATA_BYTES,
} from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import type pg from 'pg';
import { NOT_MERGED, ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';

/** The columns from `network` on are null in a booking whose entries are rows of their own. */
export type BookingRow = {
  readonly position: string;
  readonly id: string;
  readonly payment_id: string;
  readonly entry_ids: readonly string[];
  readonly network: string | null;
  readonly created_at: Date | null;
  readonly account_names: readonly LedgerAccount[] | null;
  readonly parties: readonly string[] | null;
  readonly assets: readonly string[] | null;
  readonly amounts: readonly string[] | null;
  readonly transaction_ids: readonly string[] | null;
  readonly log_indexes: readonly number[] | null;
  readonly reverses: readonly (string | null)[] | null;
};

// The driver reads arrays of PostgreSQL's own types.
export const BOOKING_COLUMNS = `position::text, id, payment_id, entry_ids, network, created_at,
  account_names::text[] as account_names, parties, assets, amounts::text[] as amounts, transaction_ids, log_indexes, reverses`;

const OWNER = namedParameters({ account_id: 'text', mode: 'text' });
const own = (row: string) => `${row}.account_id = ${OWNER.at.account_id} and ${row}.mode = ${OWNER.at.mode}`;
const WANTED = columnArrays<BookingRow>(
  {
    payment_id: ['text', ({ payment_id }) => payment_id],
    first_id: ['text', ({ entry_ids }) => entry_ids[0] ?? ''],
    last_id: ['text', ({ entry_ids }) => entry_ids.at(-1) ?? ''],
  },
  OWNER.next,
);

// Of bookings that carry none. The range of ids names the month; the ids themselves are compared by the caller.
export const BOOKING_ENTRIES = {
  name: 'export-entries',
  text: `
    select wanted.place::integer, e.id, e.network, e.asset, e.account_name, e.party, e.amount::text, e.transaction_id,
      e.log_index, e.reverses, e.created_at
    from ${WANTED.unnestWithPlace('wanted')}
    cross join lateral (
      select * from svc.ledger_entry_rows e
      where ${own('e')} and e.payment_id = wanted.payment_id and e.id >= wanted.first_id and e.id <= wanted.last_id
      order by e.account_id, e.mode, e.payment_id, e.id ${NOT_MERGED}
    ) e`,
};

const one = (name: string, source: string) =>
  `left join lateral (select * from ${source} ${ONE_BY_KEY}) ${name} on true`;

// The ledger's rows have no metadata, and the intents are not read for them. Metadata behind the bound is not sent by the
// database: its size alone tells where the page ends.
const paymentsWith = (name: string, metadata: string, metadataBytes: string, intents: string) => ({
  name,
  text: `
    select p.id, p.intent_id, p.asset, p.payer, b.transaction_id, b.block_number::text,
      ${metadata} as metadata, ${metadataBytes} as metadata_bytes
    from unnest($${OWNER.next}::text[]) with ordinality as wanted (payment_id, place)
    cross join lateral (
      select id, intent_id, asset, payer from svc.payments p where ${own('p')} and p.id = wanted.payment_id ${ONE_BY_KEY}
    ) p
    ${intents}
    ${one('s', `svc.settlements s where ${own('s')} and s.payment_id = p.id`)}
    left join lateral (
      select transaction_id, block_number from svc.batches b where b.id = s.batch_id ${ONE_BY_KEY}
    ) b on true`,
});

export const BOOKED_PAYMENTS = paymentsWith(
  'export-payments',
  `case when wanted.place = 1
    or sum(octet_length(i.metadata)) over (order by wanted.place) <= ${MAX_METADATA_BYTES} then i.metadata end`,
  'coalesce(octet_length(i.metadata), 0)',
  one('i', `svc.intents i where ${own('i')} and i.id = p.intent_id`),
);
export const BOOKED_WITHOUT_METADATA = paymentsWith('export-payments-plain', 'null', '0', '');

type EntryRow = {
  readonly id: string;
  readonly network: string;
  readonly asset: string;
  readonly account_name: LedgerAccount;
  readonly party: string;
  readonly amount: string;
  readonly transaction_id: string;
  readonly log_index: number;
  readonly reverses: string | null;
  readonly created_at: Date;
};

type PaymentRow = {
  readonly id: string;
  readonly intent_id: string;
  readonly asset: string;
  readonly payer: string | null;
  readonly metadata: string | null;
  readonly metadata_bytes: number;
  readonly transaction_id: string | null;
  readonly block_number: string | null;
};

/** `loaded`: how many of the rows the page has, bookings that were passed over included. */
export async function loadBookings(
  client: pg.ClientBase,
  { accountId, mode, withMetadata }: ExportOrder,
  rows: readonly BookingRow[],
): Promise<{ readonly bookings: readonly ExportedBooking[]; readonly loaded: number }> {
  if (rows.length === 0) return { bookings: [], loaded: 0 };
  const owner = OWNER.values({ account_id: accountId, mode });
  const ids = [...new Set(rows.map(({ payment_id }) => payment_id))];
  const query = withMetadata ? BOOKED_PAYMENTS : BOOKED_WITHOUT_METADATA;
  const found = await client.query<PaymentRow>({ ...query, values: [...owner, ids] });
  const payments = new Map(found.rows.map((row) => [row.id, row]));
  const within = withinBytes(rows, payments);
  const older = await loadOlderEntries(
    client,
    owner,
    within.filter(({ amounts }) => amounts === null),
  );
  const some = within.map((row) => ({ row, near: row.amounts === null ? (older.get(row) ?? []) : carriedBy(row) }));
  const firstKept = some.every(({ near }) => near.length > 0) ? null : await firstKeptEntry(client);
  const kept = some.filter(({ row, near }) => near.length > 0 || firstKept === null || row.id >= firstKept);
  const bookings = kept.map(({ row, near }) => bookingOf(row, near, payments.get(row.payment_id)));
  return { bookings, loaded: within.length };
}

/** Entries that are rows of their own. */
async function loadOlderEntries(
  client: pg.ClientBase,
  owner: readonly unknown[],
  rows: readonly BookingRow[],
): Promise<ReadonlyMap<BookingRow, readonly EntryRow[]>> {
  if (rows.length === 0) return new Map();
  const entries = await client.query<EntryRow & { readonly place: number }>({
    ...BOOKING_ENTRIES,
    values: [...owner, ...WANTED.values(rows)],
  });
  const ofBooking = Map.groupBy(entries.rows, ({ place }) => place);
  return new Map(rows.map((row, index) => [row, ofBooking.get(index + 1) ?? []]));
}

function carriedBy(row: BookingRow): readonly EntryRow[] {
  const of = <Value>(values: readonly Value[] | null, index: number): Value => {
    const value = values?.[index];
    if (value === undefined)
      throw new Error(`booking ${row.id} of payment ${row.payment_id} has no entry ${index + 1}`);
    return value;
  };
  const { network, created_at, transaction_ids } = row;
  if (network === null || created_at === null) throw new Error(`booking ${row.id} has no network or no time`);
  return row.entry_ids.map((id, index) => ({
    id,
    network,
    asset: of(row.assets, index),
    account_name: of(row.account_names, index),
    party: of(row.parties, index),
    amount: of(row.amounts, index),
    transaction_id: of(transaction_ids, transaction_ids?.length === 1 ? 0 : index),
    log_index: of(row.log_indexes, index),
    reverses: row.reverses === null ? null : of(row.reverses, index),
    created_at,
  }));
}

/** Each booking shows the metadata of its payment, also the second one of a payment. At least one. */
function withinBytes(rows: readonly BookingRow[], payments: ReadonlyMap<string, PaymentRow>): readonly BookingRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ payment_id }, index) => {
    bytes += payments.get(payment_id)?.metadata_bytes ?? 0;
    return index > 0 && bytes > MAX_METADATA_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** The months of the ledger and of its bookings leave one by one, and an operator may keep the bookings for longer. */
async function firstKeptEntry(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ id: string | null }>('select svc.first_kept_entry() as id');
  return rows[0]?.id ?? null;
}

function bookingOf(row: BookingRow, near: readonly EntryRow[], payment: PaymentRow | undefined): ExportedBooking {
  const ids = new Set(row.entry_ids);
  const entries = near.filter(({ id }) => ids.has(id));
  const network = parseNetwork(entries[0]?.network ?? '');
  if (entries.length !== ids.size || network === undefined)
    throw new Error(`booking ${row.id} of payment ${row.payment_id} has ${entries.length} of its ${ids.size} entries`);
  const { transaction_id: transactionId = null, block_number: block = null } = payment ?? {};
  return {
    id: row.id,
    position: BigInt(row.position),
    network,
    payment: {
      id: row.payment_id,
      intentId: payment?.intent_id ?? '',
      asset: payment?.asset ?? entries.find(({ reverses }) => reverses === null)?.asset ?? '',
      payer: payment?.payer ?? null,
    },
    metadata: payment?.metadata ?? null,
    sent: transactionId === null || block === null ? null : { transactionId, blockNumber: BigInt(block) },
    entries: entries.map(entryOf),
  };
}

const entryOf = (row: EntryRow): BookingEntry => ({
  id: row.id,
  asset: row.asset,
  accountName: row.account_name,
  party: row.party,
  amountAtomic: BigInt(row.amount),
  transactionId: row.transaction_id,
  logIndex: row.log_index,
  reverses: row.reverses,
  createdAtMs: row.created_at.getTime(),
});
