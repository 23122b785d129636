import type { Overview } from '@svc-pay/protocol/merchant';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ReadOverview, useOverview } from '../api/overview.ts';
import { type PageScope, useScope } from '../api/scope.ts';
import { longLabel, RANGE_NAMES, RANGES, type RangeName, shortLabel, slotsOf, USUAL_RANGE } from '../charts/range.ts';
import { Trend } from '../charts/trend.tsx';
import { chainName, symbolOf } from '../format/chains.ts';
import { counted, duration, percent, shortUsd, toCents } from '../format/figures.ts';
import { grouped, showUsd } from '../format/money.ts';
import { exact } from '../format/time.ts';
import { Badge, Bones, Card, Empty, Heading, Problem, useNow } from '../ui/bits.tsx';
import { failureWords } from '../words/failures.ts';
import { FirstSteps } from './parts/first-steps.tsx';

/** The service counts at most five seconds behind; this much is said aloud. */
const LATE_MS = 5_000;
const OLD_MS = 30_000;

export function OverviewPage() {
  const scope = useScope();
  const { range = USUAL_RANGE } = useSearch({ from: '/signed-in/$mode/$accountId/overview' });
  const { data, error, refetch } = useOverview(scope, range);
  return (
    <>
      <Heading title="Overview" about={<AsOf read={data} />}>
        <RangeChoice range={range} scope={scope} />
      </Heading>
      {error !== null && <Problem of={error} again={() => void refetch()} />}
      {data === undefined && error === null && <Bones lines={8} />}
      {data !== undefined &&
        (hasHappened(data.overview) ? (
          <Figures overview={data.overview} scope={scope} />
        ) : (
          <Quiet scope={scope} range={range} />
        ))}
    </>
  );
}

const hasHappened = ({ total, points }: Overview): boolean =>
  points.length > 0 || total.completed + total.failed + total.canceled + total.mismatched + total.refunds > 0;

function RangeChoice({ range, scope }: { readonly range: RangeName; readonly scope: PageScope }) {
  return (
    <nav aria-label="Range" className="flex rounded-lg border border-line bg-sunk p-0.5">
      {RANGE_NAMES.map((name) => (
        <Link
          key={name}
          to="/$mode/$accountId/overview"
          params={{ mode: scope.mode, accountId: scope.accountId }}
          search={name === USUAL_RANGE ? {} : { range: name }}
          aria-current={name === range ? 'true' : undefined}
          className={`rounded-md px-2.5 py-1 text-[0.9286rem] font-medium ${name === range ? 'bg-card text-ink shadow-sm' : 'text-soft hover:text-ink'}`}
        >
          {RANGES[name].words}
        </Link>
      ))}
    </nav>
  );
}

/** When the figures were true. Late ones are marked, also while the console can't be reached. */
function AsOf({ read }: { readonly read: ReadOverview | undefined }) {
  const now = useNow();
  if (read === undefined) return <>Figures of your payments.</>;
  const { overview, behindMs, answeredAtMs } = read;
  if (overview.asOf === null || behindMs === null) return <Badge tone="wait">Nothing is counted yet</Badge>;
  const ageMs = behindMs + Math.max(0, now - answeredAtMs);
  return (
    <span className="inline-flex flex-wrap items-center gap-2" role="status">
      As of <time dateTime={overview.asOf}>{exact(overview.asOf)}</time>
      {ageMs > OLD_MS ? (
        <Badge tone="bad" title="What happened since then is missing here; the lists of payments have it.">
          {duration(ageMs)} old
        </Badge>
      ) : (
        ageMs > LATE_MS && <Badge tone="wait">{duration(ageMs)} behind</Badge>
      )}
    </span>
  );
}

function Quiet({ scope, range }: { readonly scope: PageScope; readonly range: RangeName }) {
  const navigate = useNavigate();
  const longest = useOverview(scope, '90d', range !== '90d');
  if (range !== '90d' && longest.data === undefined && longest.error === null) return <Bones />;
  if (range === '90d' || longest.data === undefined || !hasHappened(longest.data.overview))
    return <FirstSteps scope={scope} />;
  const show = () =>
    void navigate({
      to: '/$mode/$accountId/overview',
      params: { mode: scope.mode, accountId: scope.accountId },
      search: { range: '90d' },
    });
  return (
    <Card>
      <Empty title={`Nothing happened in the last ${RANGES[range].words}`}>
        <button type="button" className="button mt-3" onClick={show}>
          Show 90 days
        </button>
      </Empty>
    </Card>
  );
}

type Told = { readonly overview: Overview; readonly scope: PageScope };

function Figures({ overview, scope }: Told) {
  const { total } = overview;
  const judged = total.completed + total.failed;
  return (
    <div className="grid gap-4">
      <section aria-label="In total" className="card grid grid-cols-2 divide-line lg:grid-cols-4 lg:divide-x">
        <Tile name="Volume" value={showUsd(toCents(total.volumeUsd))} exactly={showUsd(total.volumeUsd)}>
          {total.refunds > 0
            ? `${showUsd(toCents(total.refundedUsd))} refunded`
            : `${counted(total.completed)} payments`}
          {total.unpriced > 0 && ` · ${counted(total.unpriced)} without a price`}
        </Tile>
        <Tile name="Success rate" value={total.successRate === null ? '—' : percent(total.successRate)}>
          {judged === 0 ? 'no payment ended' : `${counted(total.completed)} of ${counted(judged)}`}
        </Tile>
        <Tile name="Time to settle" value={total.settleTime === null ? '—' : duration(total.settleTime.p50Ms)}>
          {total.settleTime === null ? 'none timed' : `95 of 100 within ${duration(total.settleTime.p95Ms)}`}
        </Tile>
        <Tile name="Gas" value={total.gasShare === null ? '—' : percent(total.gasShare)}>
          {total.gasShare === null ? 'of value' : `of value, ${showUsd(toCents(total.gasUsd))}`}
        </Tile>
      </section>
      <Charts overview={overview} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Failures overview={overview} scope={scope} />
        <Tokens overview={overview} />
      </div>
    </div>
  );
}

type TileProps = {
  readonly name: string;
  readonly value: string;
  readonly exactly?: string;
  readonly children: ReactNode;
};

const Tile = ({ name, value, exactly, children }: TileProps) => (
  <dl className="min-w-0 px-4 py-3.5">
    <dt className="text-[0.857rem] text-soft">{name}</dt>
    <dd className="truncate text-[1.55rem] leading-snug font-semibold tracking-tight" title={exactly ?? value}>
      {value}
    </dd>
    <dd className="text-[0.857rem] text-soft">{children}</dd>
  </dl>
);

function Charts({ overview }: Pick<Told, 'overview'>) {
  const { interval, total } = overview;
  const slots = slotsOf(overview);
  const common = {
    shortLabels: slots.map(({ atMs }) => shortLabel(atMs, interval)),
    longLabels: slots.map(({ atMs }) => longLabel(atMs, interval)),
  };
  const points = slots.map(({ point }) => point);
  const numberOf = (share: string | null | undefined) => (share === null || share === undefined ? null : Number(share));
  const each = interval === 'hour' ? 'by hour, UTC' : 'by day, UTC';
  return (
    <>
      <Card title="Volume">
        <Trend
          {...common}
          title="Volume in dollars"
          kind="bars"
          height={220}
          rest={each}
          series={[{ name: 'Volume', look: 'main', values: points.map((point) => Number(point?.volumeUsd ?? 0)) }]}
          axis={shortUsd}
          told={(_, index) => showUsd(toCents(points[index]?.volumeUsd ?? '0'))}
        />
      </Card>
      <div className="grid gap-4 lg:grid-cols-3">
        <Card title="Payments">
          <Trend
            {...common}
            title="Payments that succeeded and failed"
            kind="bars"
            rest={each}
            series={[
              { name: 'Paid', look: 'main', values: points.map((point) => point?.completed ?? 0) },
              { name: 'Failed', look: 'bad', values: points.map((point) => point?.failed ?? 0) },
            ]}
            axis={(value) => (Number.isInteger(value) ? counted(value) : '')}
            told={(series, index) => counted((series === 0 ? points[index]?.completed : points[index]?.failed) ?? 0)}
          />
        </Card>
        <Card title="Time to settle">
          <Trend
            {...common}
            title="Time to settle"
            kind="lines"
            rest={total.settleTime === null ? 'none timed' : each}
            series={[
              { name: 'Median', look: 'main', values: points.map((point) => point?.settleTime?.p50Ms ?? null) },
              { name: '95 %', look: 'second', values: points.map((point) => point?.settleTime?.p95Ms ?? null) },
            ]}
            axis={(value) => (value === 0 ? '0' : duration(value))}
            told={(series, index) => {
              const time = points[index]?.settleTime;
              return time ? duration(series === 0 ? time.p50Ms : time.p95Ms) : '—';
            }}
          />
        </Card>
        <Card title="Gas as a share of value">
          <Trend
            {...common}
            title="Gas as a share of value"
            kind="lines"
            rest={each}
            series={[{ name: 'Gas', look: 'main', values: points.map((point) => numberOf(point?.gasShare)) }]}
            axis={(value) => (value === 0 ? '0 %' : percent(String(value)))}
            told={(_, index) => {
              const share = points[index]?.gasShare;
              return share ? `${percent(share)}, ${showUsd(toCents(points[index]?.gasUsd ?? '0'))}` : '—';
            }}
          />
        </Card>
      </div>
    </>
  );
}

function Failures({ overview: { failures, total }, scope }: Told) {
  const most = Math.max(1, ...failures.map(({ count }) => count));
  return (
    <Card
      title="Why payments failed"
      action={
        <Link
          to="/$mode/$accountId/payments"
          params={{ mode: scope.mode, accountId: scope.accountId }}
          search={{ status: 'failed' }}
          className="link text-[0.9286rem]"
        >
          See them
        </Link>
      }
    >
      {failures.length === 0 ? (
        <p className="px-4 py-6 text-soft">No payment failed.</p>
      ) : (
        <ul className="divide-y divide-line">
          {failures.map(({ code, count }) => {
            const words = failureWords(code);
            return (
              <li key={code} className="grid gap-1.5 px-4 py-3">
                <p className="flex items-baseline justify-between gap-4">
                  <span className="min-w-0">{words?.what ?? code}</span>
                  <span className="flex-none font-medium">
                    {counted(count)}
                    <span className="ml-2 inline-block min-w-13 text-right font-normal text-soft">
                      {percent(String(count / Math.max(1, total.failed)))}
                    </span>
                  </span>
                </p>
                <progress className="bar" value={count} max={most} aria-label={`${code}: ${count}`} />
                {words && <p className="text-[0.857rem] text-soft">{words.todo}</p>}
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

function Tokens({ overview: { total } }: Pick<Told, 'overview'>) {
  return (
    <Card title="By token">
      {total.tokens.length === 0 ? (
        <p className="px-4 py-6 text-soft">No money moved.</p>
      ) : (
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col" className="end">
                Volume
              </th>
              <th scope="col" className="end">
                In dollars
              </th>
              <th scope="col" className="end">
                Gas
              </th>
            </tr>
          </thead>
          <tbody>
            {total.tokens.map((token) => (
              <tr key={`${token.chain} ${token.asset}`}>
                <td>
                  <span className="font-medium">{symbolOf(token.tokenShortcode) || 'Unknown token'}</span>{' '}
                  <span className="text-soft">on {chainName(token.chain)}</span>
                </td>
                <td data-name="Volume" className="end">
                  {grouped(token.volume)}
                </td>
                <td data-name="In dollars" className="end" title={showUsd(token.volumeUsd)}>
                  {showUsd(toCents(token.volumeUsd))}
                </td>
                <td data-name="Gas" className="end" title={`${token.gas} ${token.gasToken ?? ''}`}>
                  {token.gasShare === null ? '—' : percent(token.gasShare)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
