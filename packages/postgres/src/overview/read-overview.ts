// The figures of an account, as the shown generation has them: one statement, so that the figures belong to their `as of`.
import { isoTime, type Mode, type OverviewLine, type OverviewRange, type OverviewRows } from '@svc-pay/core';
import type pg from 'pg';
import { namedParameters } from '../database/statement-parameters.ts';

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  interval: 'text',
  from: 'timestamptz',
  to: 'timestamptz',
});
const { at } = GIVEN;
const mine = (row: string) => `${row}.account_id = ${at.account_id} and ${row}.mode = ${at.mode}
  and ${row}.generation = (select generation from svc.overview_cursors where shown)
  and ${row}.hour >= ${at.from} and ${row}.hour < ${at.to}`;
const begin = (row: string) => `extract(epoch from date_trunc(${at.interval}, ${row}.hour, 'UTC'))::bigint`;

const COUNTS = ['settled', 'unpriced', 'mismatched', 'failed', 'canceled', 'refunds', 'reversals'] as const;
const AMOUNTS = {
  volume: 'volume_amount',
  refunded: 'refunded_amount',
  gas: 'gas_amount',
  gasValue: 'gas_value_amount',
  carried: 'carried_amount',
  volumeUsd: 'volume_usd_amount',
  refundedUsd: 'refunded_usd_amount',
  gasUsd: 'gas_usd_amount',
  carriedUsd: 'carried_usd_amount',
} as const;
type Count = (typeof COUNTS)[number];
type Amount = keyof typeof AMOUNTS;
const SUMS = [
  ...COUNTS.map((name) => `sum(b.${name})::bigint as "${name}"`),
  ...Object.entries(AMOUNTS).map(([name, column]) => `sum(b.${column})::text as "${name}"`),
].join(', ');

const READ = {
  name: 'read-overview',
  text: `
    select
      (select as_of from svc.overview_cursors where shown) as as_of,
      (
        select coalesce(jsonb_agg(line), '[]') from (
          select ${begin('b')} as at, b.network, b.asset, ${SUMS} from svc.overview_buckets b where ${mine('b')}
          group by at, b.network, b.asset
        ) line
      ) as lines,
      (
        select coalesce(jsonb_agg(bin), '[]') from (
          select ${begin('t')} as at, t.bin, sum(t.count)::bigint as count from svc.overview_times t where ${mine('t')}
          group by at, t.bin
        ) bin
      ) as times,
      (
        select coalesce(jsonb_agg(failure), '[]') from (
          select f.code, sum(f.count)::bigint as count from svc.overview_failures f where ${mine('f')} group by f.code
        ) failure
      ) as failures`,
};

type LineRow = { readonly at: number; readonly network: string; readonly asset: string } & Readonly<
  Record<Count, number>
> &
  Readonly<Record<Amount, string>>;
type Row = {
  readonly as_of: Date | null;
  readonly lines: readonly LineRow[];
  readonly times: readonly { readonly at: number; readonly bin: number; readonly count: number }[];
  readonly failures: readonly { readonly code: string; readonly count: number }[];
};

export async function readOverview(
  pool: pg.Pool,
  { accountId, mode }: { readonly accountId: string; readonly mode: Mode },
  { fromMs, toMs, interval }: OverviewRange,
): Promise<OverviewRows> {
  const values = GIVEN.values({
    account_id: accountId,
    mode,
    interval,
    from: isoTime(fromMs),
    to: isoTime(toMs),
  });
  const { rows } = await pool.query<Row>({ ...READ, values });
  const [row] = rows;
  if (row === undefined) throw new Error('no figures were read');
  return {
    asOfMs: row.as_of?.getTime() ?? null,
    lines: row.lines.map(lineOf),
    times: row.times.map(({ at: seconds, bin, count }) => ({ atMs: seconds * 1_000, bin, count })),
    failures: row.failures,
  };
}

function lineOf({ at: seconds, network, asset, ...sums }: LineRow): OverviewLine {
  const amounts = Object.keys(AMOUNTS).map((name) => [name, BigInt(sums[name as Amount])]);
  return { ...sums, ...(Object.fromEntries(amounts) as Record<Amount, bigint>), atMs: seconds * 1_000, network, asset };
}
