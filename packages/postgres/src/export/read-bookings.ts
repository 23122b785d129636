// One page of an account's bookings in commit order, with their entries and what belongs to their payments. One short
// transaction: its first statement fixes how far everything is committed, so nothing that commits later is skipped.
import { EXPORT_PIECE_ROWS, type ExportOrder, type ExportPage, type LedgerOwner, MAX_EXPORT_ROWS } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { BOOKING_COLUMNS, type BookingRow, loadBookings } from './load-bookings.ts';

// The planner estimates months that were never analyzed at a few rows, and would sort all of them for each page. Seen in
// `export-plans.test.ts`. Both settings end with the transaction.
export const BEGIN_EXPORT = {
  name: 'begin-export',
  text: `
    select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
      pg_try_advisory_xact_lock(hashtextextended('svc.export/' || $1::text || '/' || $2::text, 0)) as alone,
      known.position_offset + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as committed,
      known.system_identifier = here.system_identifier::text as here
    from svc.ledger_order known, pg_control_system() here`,
};

type Begun = { readonly alone: boolean; readonly committed: string; readonly here: boolean };

/** One export of an account and mode at a time, over all processes. */
export async function beginExport(client: pg.ClientBase, { accountId, mode }: LedgerOwner): Promise<Begun> {
  const { rows } = await client.query<Begun>({ ...BEGIN_EXPORT, values: [accountId, mode] });
  const [begun] = rows;
  if (begun === undefined) throw new Error('svc.ledger_order has no row: run `migrate`');
  return begun;
}

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  position: 'bigint',
  id: 'text',
  watermark: 'bigint',
});
const { at } = GIVEN;

// Sizes are numbers in the text: docs/internals/planner-rules.md, rule 7. One more than the page tells whether it is the last.
// The order names the table's column: `position` alone would be the text of the select list, by which 9 comes after 10.
const SIZES = [101, EXPORT_PIECE_ROWS + 1, MAX_EXPORT_ROWS + 1];
export const BOOKING_PAGES = SIZES.map((size) => ({
  size,
  query: {
    name: `export-bookings-${size}`,
    text: `
      select ${BOOKING_COLUMNS} from svc.ledger_bookings booking
      where account_id = ${at.account_id} and mode = ${at.mode} and (position, id) > (${at.position}, ${at.id})
        and position < ${at.watermark}
      order by booking.account_id, booking.mode, booking.position, booking.id limit ${size}`,
  },
}));

export async function readBookings(pool: pg.Pool, order: ExportOrder): Promise<ExportPage> {
  return inTransaction(pool, async (client) => {
    const beganMs = performance.now();
    const begun = await beginExport(client, order);
    if (!begun.alone) return { ok: false, reason: 'busy' };
    if (!begun.here) return { ok: false, reason: 'restarted' };
    const committed = BigInt(begun.committed);
    // A cursor can't move the end behind what is committed.
    const watermark = order.watermark === undefined || order.watermark > committed ? committed : order.watermark;
    const page = BOOKING_PAGES.find(({ size }) => size > order.maxBookings) ?? BOOKING_PAGES.at(-1);
    if (page === undefined) throw new Error('no size of a page');
    const values = GIVEN.values({
      account_id: order.accountId,
      mode: order.mode,
      position: order.after.position.toString(),
      id: order.after.bookingId,
      watermark: watermark.toString(),
    });
    const { rows } = await client.query<BookingRow>({ ...page.query, values });
    const kept = cut(rows, order);
    const { bookings, loaded } = await loadBookings(client, order, kept);
    const last = kept[loaded - 1];
    const readTo = last === undefined ? order.after : { position: BigInt(last.position), bookingId: last.id };
    const readMs = performance.now() - beganMs;
    return { ok: true, bookings, watermark, readTo, hasMore: loaded < rows.length, readMs };
  });
}

/** Whole bookings, at least one. */
function cut(rows: readonly BookingRow[], { maxBookings, maxEntries }: ExportOrder): readonly BookingRow[] {
  let entries = 0;
  const end = rows.findIndex(({ entry_ids }, index) => {
    entries += entry_ids.length;
    return index >= maxBookings || (index > 0 && entries > maxEntries);
  });
  return end === -1 ? rows : rows.slice(0, end);
}
