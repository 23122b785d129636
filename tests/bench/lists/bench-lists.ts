// Pages of lists among a million payments of ten years, ten million rows in the tables that lists read: blocks, rows and time
// of each page, by the pool and the role of the API; and what the indexes of the lists cost a payment that is written.
import { migrate } from '@svc-pay/postgres';
import { startPostgres } from '@svc-pay/postgres/server';
import {
  fillListed,
  LISTED_CALLER,
  listedWays,
  type MeasuredPage,
  openListMeter,
} from '@svc-pay/postgres/testing/listed-payments';
import pg from 'pg';
import { createProgress } from '../../progress.ts';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { describeMachine } from '../settle/machine.ts';
import { writeSection } from '../write-section.ts';

const PAYMENTS = 1_000_000;
const UNPAID = 3;
const MOST_BLOCKS = 500;
const ROWS_EACH = 3;
/** A walk over many months looks at a row of each, and a full page at one row behind it. */
const MONTHS = 121;
const TIMES = 200;
const WRITES = 3_000;

type TimedPage = MeasuredPage & { readonly p50: number; readonly p99: number };

export async function benchLists({ write, most = PAYMENTS }: BenchOptions): Promise<BenchResult> {
  const machine = describeMachine();
  console.log(machine);
  const postgres = await startPostgres({
    durable: false,
    settings: { shared_buffers: '512MB', max_wal_size: '4GB', maintenance_work_mem: '256MB' },
  });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  pool.on('error', () => {});
  try {
    const migrated = await migrate(postgres.url);
    if (!migrated.ok) throw new Error(`a fresh database refuses migration ${migrated.name}`);
    const progress = createProgress(most, process.stderr);
    await fillListed(pool, {
      payments: most,
      unpaid: UNPAID,
      onDone: (done) => progress.show(done, 'payments stored'),
    });
    progress.end();
    await pool.query('vacuum (analyze)');
    const pages = await measurePages(postgres.url, most);
    for (const { name, given, blocks, rowsRead, statements, p50, p99 } of pages) {
      console.log(
        `${name}: ${given} given, ${blocks} blocks, ${rowsRead} rows, ${statements} statements, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      );
    }
    const writes = await measureWrites(pool);
    const stored = await countRows(pool);
    if (write) writeSection('lists', tableOf(pages, machine, most, stored, writes));
    return {
      figures: {
        payments: most,
        rows: stored,
        most_blocks: Math.max(...pages.map(({ blocks }) => blocks)),
        most_p99_ms: Math.round(Math.max(...pages.map(({ p99 }) => p99)) * 10) / 10,
        write_us_with: Math.round(writes.withLists),
        write_us_without: Math.round(writes.without),
      },
      missed: pages.flatMap(({ name, blocks, rowsRead, given }) => [
        ...(blocks > MOST_BLOCKS ? [`${name}: ${blocks} blocks, the bar is ${MOST_BLOCKS}`] : []),
        ...(rowsRead > Math.max(ROWS_EACH * given + 1, MONTHS) ? [`${name}: ${rowsRead} rows read for ${given}`] : []),
      ]),
    };
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

async function measurePages(url: string, payments: number): Promise<readonly TimedPage[]> {
  const meter = await openListMeter(url);
  try {
    const pages: TimedPage[] = [];
    for (const way of listedWays(payments)) {
      const page = await meter.measure(way);
      const took = (await meter.time(way, TIMES)).toSorted((one, other) => one - other);
      const at = (part: number) => took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? Number.NaN;
      pages.push({ ...page, p50: at(0.5), p99: at(0.99) });
    }
    return pages;
  } finally {
    await meter.close();
  }
}

/** Microseconds of a payment's insert and of the update that completes it, with the indexes of the lists and without. */
async function measureWrites(pool: pg.Pool): Promise<{ readonly withLists: number; readonly without: number }> {
  const client = await pool.connect();
  const run = async (from: number) => {
    const startMs = performance.now();
    for (let number = from; number < from + WRITES; number += 1)
      await client.query({ ...WRITE, values: [LISTED_CALLER.accountId, number] });
    return ((performance.now() - startMs) * 1_000) / WRITES;
  };
  try {
    await client.query('set session_replication_role = replica');
    await run(20_000_000);
    const withLists = await run(21_000_000);
    await client.query(`do $$ declare name text; begin
      for name in select indexrelid::regclass::text from pg_index join pg_class on pg_class.oid = indexrelid
        where indrelid = 'svc.payments'::regclass and relname like 'payments\\_by\\_%' loop execute 'drop index ' || name; end loop;
    end $$`);
    await run(22_000_000);
    return { withLists, without: await run(23_000_000) };
  } finally {
    client.release();
  }
}

const WRITE = {
  name: 'write-payment',
  text: `
    with made as (select svc.id_bound('pay', now()) || lpad(to_hex($2::bigint), 16, '0') as id),
    written as (
      insert into svc.payments (account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount,
        created_event, created_at, updated_at)
      select $1, 'test', id, id, 'pending', 'eip155:84532', 'basesepolia_usdc', '0x33', '0x' || lpad(to_hex($2::bigint % 5000), 40, '0'),
        1000000, false, now(), now() from made
    )
    select 1`,
};

async function countRows(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select (select count(*) from svc.payments) + (select count(*) from svc.intents)
       + (select count(*) from svc.intent_metadata) as count`,
  );
  return Number(rows[0]?.count);
}

function tableOf(
  pages: readonly TimedPage[],
  machine: string,
  payments: number,
  rows: number,
  writes: { readonly withLists: number; readonly without: number },
): readonly string[] {
  return [
    `Seen on ${machine}. ${payments} payments of 120 months, ${rows} rows in the tables that lists read.`,
    '',
    '| page | rows given | rows read | blocks | statements | p50 ms | p99 ms |',
    '|---|---|---|---|---|---|---|',
    ...pages.map(
      ({ name, given, rowsRead, blocks, statements, p50, p99 }) =>
        `| ${name} | ${given} | ${rowsRead} | ${blocks} | ${statements} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`,
    ),
    '',
    `To insert a payment takes ${Math.round(writes.withLists)} µs with the indexes of the lists and ${Math.round(writes.without)} µs without, round trip included.`,
  ];
}
