// The figures beside the sums of the books, in one snapshot. Sums come from ledger entries and payments by themselves; what the
// cursor has not reached is taken off by the functions of the fold.
import { type Mode, NATIVE_ASSET, NETWORK_PARTY, type OverviewComparison, PAYMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';

const FIGURES = [
  'settled',
  'unpriced',
  'mismatched',
  'failed',
  'canceled',
  'refunds',
  'volume_amount',
  'refunded_amount',
  'gas_amount',
  'gas_value_amount',
  'carried_amount',
  'volume_usd_amount',
  'refunded_usd_amount',
  'gas_usd_amount',
  'carried_usd_amount',
  /** Failed payments, less those that have a reason. */
  'reasons',
] as const;
type Figure = (typeof FIGURES)[number];

/** Sums of one source by account, mode, network and asset; figures that it does not have are 0. */
function sums(
  source: string,
  of: Partial<Record<Figure, string>>,
  [network, asset]: readonly [string, string] = ['s.network', 's.asset'],
) {
  const columns = FIGURES.map((figure) => `coalesce(${of[figure] ?? '0'}, 0)::numeric as ${figure}`);
  return `select s.account_id, s.mode::text as mode, ${network} as network, ${asset} as asset, ${columns.join(', ')} from ${source} s group by 1, 2, 3, 4`;
}

const minus = (of: Partial<Record<Figure, string>>) =>
  Object.fromEntries(Object.entries(of).map(([figure, sum]) => [figure, `-${sum}`])) as Partial<Record<Figure, string>>;

const VOLUME = `s.account_name in ('merchant', 'split', 'platform_fee', 'escrow') and s.amount * s.sign > 0`;
const REFUNDED = `s.account_name = 'merchant' and s.amount * s.sign < 0`;
const CARRIED = `${VOLUME} and s.external_cost_amount > 0`;
const MONEY = {
  refunds: `sum(s.sign) filter (where ${REFUNDED})`,
  volume_amount: `sum(s.amount) filter (where ${VOLUME})`,
  refunded_amount: `-sum(s.amount) filter (where ${REFUNDED})`,
  gas_amount: `sum(s.amount) filter (where s.entry_asset = '${NATIVE_ASSET}' and s.party = '${NETWORK_PARTY}')`,
  carried_amount: `sum(s.amount) filter (where ${CARRIED})`,
  volume_usd_amount: `sum(s.amount * s.usd_per_token_atto) filter (where ${VOLUME})`,
  refunded_usd_amount: `-sum(s.amount * s.usd_per_token_atto) filter (where ${REFUNDED})`,
  carried_usd_amount: `sum(s.amount * s.usd_per_token_atto) filter (where ${CARRIED})`,
} as const;

const { completed, refunded, mismatched, failed, canceled } = PAYMENT_STATUS;
const SETTLED = `s.status ${sqlIs(completed, refunded, mismatched)}`;
const PAYMENTS = {
  settled: `count(*) filter (where ${SETTLED})`,
  unpriced: `count(*) filter (where ${SETTLED} and s.usd_per_token_atto is null)`,
  mismatched: `count(*) filter (where s.status ${sqlIs(mismatched)} or s.status ${sqlIs(refunded)} and s.completed_at is null)`,
  failed: `count(*) filter (where s.status ${sqlIs(failed)})`,
  canceled: `count(*) filter (where s.status ${sqlIs(canceled)})`,
  gas_value_amount: `sum(s.external_cost_amount) filter (where ${SETTLED})`,
  gas_usd_amount: `sum(s.external_cost_amount * s.usd_per_token_atto) filter (where ${SETTLED})`,
} as const;

const BEHIND_BOOKINGS = {
  settled: 'sum(s.sign) filter (where s.settles)',
  unpriced: 'sum(s.sign) filter (where s.settles and s.rate is null)',
  refunds: 'sum(s.sign) filter (where s.refunds)',
  volume_amount: 'sum(s.volume)',
  refunded_amount: 'sum(s.refunded)',
  gas_amount: 'sum(s.gas)',
  gas_value_amount: 'sum(s.gas_value)',
  carried_amount: 'sum(s.volume) filter (where s.gas_value <> 0)',
  volume_usd_amount: 'sum(s.volume * s.rate)',
  refunded_usd_amount: 'sum(s.refunded * s.rate)',
  gas_usd_amount: 'sum(s.gas_value * s.rate)',
  carried_usd_amount: 'sum(s.volume * s.rate) filter (where s.gas_value <> 0)',
} as const;

const BEHIND_CHANGES = {
  mismatched: `sum(s.sign) filter (where s.status ${sqlIs(mismatched)})`,
  failed: `sum(s.sign) filter (where s.status ${sqlIs(failed)})`,
  canceled: `sum(s.sign) filter (where s.status ${sqlIs(canceled)})`,
} as const;

const BUCKETS = Object.fromEntries(
  FIGURES.filter((figure) => figure !== 'reasons').map((figure) => [figure, `sum(s.${figure})`]),
) as Partial<Record<Figure, string>>;

const LAST = `${2n ** 62n}`;
const ALL = 2 ** 31 - 1;
const WHOLE_ACCOUNT: readonly [string, string] = ["''", "''"];

const COMPARE = `
  with cursor as materialized (select * from svc.overview_cursors where shown),
  entry as (
    select e.account_id, e.mode, e.network, p.asset, e.asset as entry_asset, e.account_name, e.party, e.amount,
      case when e.reverses is null then 1 else -1 end as sign, p.usd_per_token_atto, p.external_cost_amount
    from svc.ledger_entries e
    cross join lateral (
      select p.asset, p.usd_per_token_atto, p.external_cost_amount from svc.payments p
      where p.account_id = e.account_id and p.mode = e.mode and p.id = e.payment_id ${ONE_BY_KEY}
    ) p
  ),
  behind as (
    select b.* from cursor c cross join lateral svc.overview_of_bookings(c.booking_position, c.booking_id, ${LAST}, ${ALL}) b
  ),
  changed as (
    select b.* from cursor c cross join lateral svc.overview_of_changes(c.change_position, c.change_number, ${LAST}, ${ALL}) b
  ),
  bucket as (
    select b.* from svc.overview_buckets b join cursor c on c.generation = b.generation
  ),
  failure as (
    select f.* from svc.overview_failures f join cursor c on c.generation = f.generation
  ),
  summed as (
    ${[
      sums('entry', MONEY),
      sums('svc.payments', PAYMENTS),
      sums('behind', minus(BEHIND_BOOKINGS)),
      sums('changed', minus(BEHIND_CHANGES)),
      sums('bucket', minus(BUCKETS)),
      sums('bucket', { reasons: 'sum(s.failed)' }, WHOLE_ACCOUNT),
      sums('failure', { reasons: '-sum(s.count)' }, WHOLE_ACCOUNT),
    ].join('\n    union all\n    ')}
  ),
  compared as (
    select account_id, mode, network, asset, ${FIGURES.map((figure) => `sum(${figure}) as ${figure}`).join(', ')}
    from summed group by account_id, mode, network, asset
  )
  select (select count(*) from compared where network <> '')::integer as looked, (select as_of from cursor) as as_of,
    coalesce((
      select jsonb_agg(to_jsonb(different)) from (
        select account_id, mode, network, asset, ${FIGURES.map((figure) => `${figure}::text`).join(', ')} from compared
        where ${FIGURES.map((figure) => `${figure} <> 0`).join(' or ')}
        order by account_id, mode, network, asset
      ) different
    ), '[]') as differences`;

type Row = {
  readonly looked: number;
  readonly as_of: Date | null;
  readonly differences: readonly (Readonly<Record<Figure, string>> & {
    readonly account_id: string;
    readonly mode: Mode;
    readonly network: string;
    readonly asset: string;
  })[];
};

export async function compareOverview(client: pg.ClientBase): Promise<OverviewComparison> {
  const { rows } = await client.query<Row>(COMPARE);
  const [row] = rows;
  if (row === undefined) throw new Error('the figures were not compared');
  return {
    looked: row.looked,
    asOf: row.as_of?.toISOString() ?? null,
    differences: row.differences.flatMap(({ account_id: accountId, mode, network, asset, ...missing }) =>
      FIGURES.filter((figure) => missing[figure] !== '0').map((figure) => ({
        accountId,
        mode,
        network,
        asset,
        figure,
        missing: BigInt(missing[figure]),
      })),
    ),
  };
}
