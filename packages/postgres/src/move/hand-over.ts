// What the other cell needs beside the rows of the account: where to read the chains on, positions of the books above those that
// arrive, and figures that do not count them twice.
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { allCommitted } from '../export/all-committed.ts';
import { foldOverview } from '../overview/fold-overview.ts';

/** As stored in `svc.account_moves.cursors`. */
export type ReadingCursors = { readonly reader: unknown; readonly blocks: unknown; readonly ledgers: unknown };

/** How far the sources of the account's money are read, in the snapshot in which nothing that was read is left to apply. */
export async function loadReadingCursors(client: pg.ClientBase, accountId: string): Promise<ReadingCursors> {
  const { rows } = await client.query<ReadingCursors>(
    `select (
         select coalesce(json_agg(c), '[]') from svc.reader_cursors c where exists (
           select from svc.payouts p where p.account_id = $1 and p.network = c.network
             and (lower(p.processor) = c.address or lower(p.asset) = c.address)
         )
       ) as reader, (
         select coalesce(json_agg(b), '[]') from svc.reader_blocks b
         where b.network in (select p.network from svc.payouts p where p.account_id = $1)
       ) as blocks, (
         select coalesce(json_agg(c), '[]') from svc.icrc_cursors c
         where c.network in (select p.network from svc.payouts p where p.account_id = $1)
       ) as ledgers`,
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no cursors');
  return row;
}

/**
 * The other cell reads from there what this one has not: a later cursor goes back. What it has read and recorded itself it
 * finds recorded. A reader that passes blocks meanwhile compares the cursor that it read, and begins again. No intent expires by
 * what was read before the cursor went back, and the blocks that were passed tell where a reorg began.
 */
export async function adoptCursors(client: pg.ClientBase, { reader, blocks, ledgers }: ReadingCursors): Promise<void> {
  await client.query(
    `insert into svc.reader_cursors as known
     select network, address, kind, block_number, block_hash, block_time, now()
     from json_populate_recordset(null::svc.reader_cursors, $1) given order by network, address
     on conflict (network, address) do update
     set block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
       updated_at = excluded.updated_at
     where excluded.block_number < known.block_number`,
    [JSON.stringify(reader)],
  );
  await client.query(
    `insert into svc.reader_blocks (network, block_number, block_hash, block_time)
     select network, block_number, block_hash, block_time from json_populate_recordset(null::svc.reader_blocks, $1)
     union select network, block_number, block_hash, block_time from json_populate_recordset(null::svc.reader_cursors, $2)
     on conflict do nothing`,
    [JSON.stringify(blocks), JSON.stringify(reader)],
  );
  await client.query(
    `insert into svc.icrc_cursors as known
     select given.* from json_populate_recordset(null::svc.icrc_cursors, $1) given order by network, ledger
     on conflict (network, ledger) do update set next_index = excluded.next_index, last_hash = excluded.last_hash,
       read_at = case when excluded.read_at < known.read_at then excluded.read_at end
     where excluded.next_index < known.next_index`,
    [JSON.stringify(ledgers)],
  );
}

const LAST_POSITION = `
  select greatest(
    coalesce((select max(position) from svc.ledger_bookings where account_id = $1), 0),
    coalesce((select max(position) from svc.payment_changes where account_id = $1), 0)
  )::text as position`;

export async function lastPosition(client: pg.ClientBase, accountId: string): Promise<bigint> {
  const { rows } = await client.query<{ position: string }>(LAST_POSITION, [accountId]);
  return BigInt(rows[0]?.position ?? 0);
}

/** Bookings keep their positions, so that an export goes on with its cursor: whatever is booked from now on must lie above. */
export async function raisePositions(pool: pg.Pool, above: bigint): Promise<void> {
  if ((await nextPosition(pool)) > above) return;
  await inTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '10s'`);
    // Who has written one of these has its position already.
    await client.query('lock table svc.payment_changes in exclusive mode');
    await client.query('select svc.restart_ledger_order(true)');
  });
  if ((await nextPosition(pool)) <= above) throw new Error('positions of the ledger were not raised');
}

async function nextPosition(pool: pg.Pool): Promise<bigint> {
  const { rows } = await pool.query<{ position: string }>(
    `select (position_offset + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)::text as position from svc.ledger_order`,
  );
  return BigInt(rows[0]?.position ?? 0);
}

const MOST_FOLDS = 10_000;
const COMMITTED_MS = 10_000;

/** Nothing is folded past a transaction that still runs. */
export async function foldAll(pool: pg.Pool): Promise<void> {
  await allCommitted(pool, COMMITTED_MS);
  for (let folds = 0; folds < MOST_FOLDS; folds += 1) {
    const { folded, busy } = await foldOverview(pool);
    if (busy || folded === 0) return;
  }
}

const OWN_LAST = (table: string, number: string) =>
  `select position, ${number} from svc.${table} where account_id = $1 order by position desc, ${number} desc limit 1`;
const BETWEEN = (table: string, cursor: string, number: string) => `exists (
    select from svc.${table} b, last_of_${table} last
    where (b.position, b.${number}) > (shown.${cursor}_position, shown.${cursor}_${number})
      and (b.position, b.${number}) <= (last.position, last.${number}) and b.account_id <> $1
  )`;

/**
 * The figures of the account arrive as they are, so the fold must not add its bookings once more: the cursor moves past them.
 * False: bookings of others lie before them and are not folded yet. Nobody folds until the transaction ends.
 */
export async function passFolded(client: pg.ClientBase, accountId: string): Promise<boolean> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended('svc.overview/' || generation, 0)) from svc.overview_cursors where shown`,
  );
  const last = `with last_of_ledger_bookings as (${OWN_LAST('ledger_bookings', 'id')}),
    last_of_payment_changes as (${OWN_LAST('payment_changes', 'number')})`;
  const { rows } = await client.query<{ unfolded: boolean }>(
    `${last} select ${BETWEEN('ledger_bookings', 'booking', 'id')} or ${BETWEEN('payment_changes', 'change', 'number')}
       as unfolded from svc.overview_cursors shown where shown.shown`,
    [accountId],
  );
  if (rows[0]?.unfolded !== false) return false;
  await client.query(
    `${last} update svc.overview_cursors shown set booking_position = last.position, booking_id = last.id
     from last_of_ledger_bookings last
     where shown.shown and (shown.booking_position, shown.booking_id) < (last.position, last.id)`,
    [accountId],
  );
  await client.query(
    `${last} update svc.overview_cursors shown set change_position = last.position, change_number = last.number
     from last_of_payment_changes last
     where shown.shown and (shown.change_position, shown.change_number) < (last.position, last.number)`,
    [accountId],
  );
  return true;
}
