// The overview as it is answered: stored sums, with shares, percentiles and amounts in whole coins.
import { printSigned } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { MAX_OVERVIEW_INTERVALS, type Overview, type OverviewToken } from '@svc-pay/protocol/merchant';
import { isoTime } from '../clock.ts';
import { coinOf, tokenOf } from '../export/exported-rows.ts';
import type { OverviewLine, OverviewRange, OverviewRows, OverviewSums } from './overview-rows.ts';
import { settlePercentile } from './settle-times.ts';

const INTERVAL_MS = { hour: 3_600_000, day: 86_400_000 } as const;
const SHARE_DECIMALS = 6;
/** Dollars are told to the millionth. */
const [ATTO_DECIMALS, USD_DECIMALS] = [18, 6];

/** `from` is rounded down and `to` up to begins of intervals. Undefined for no range, or one that is too long. */
export function readOverviewRange(asked: OverviewRange): OverviewRange | undefined {
  const { interval } = asked;
  const step = INTERVAL_MS[interval];
  const fromMs = Math.floor(asked.fromMs / step) * step;
  const toMs = Math.ceil(asked.toMs / step) * step;
  const isRange = asked.fromMs < asked.toMs && (toMs - fromMs) / step <= MAX_OVERVIEW_INTERVALS;
  return isRange ? { fromMs, toMs, interval } : undefined;
}

export function overviewView({ fromMs, toMs, interval }: OverviewRange, rows: OverviewRows): Overview {
  const { asOfMs, lines, times, failures } = rows;
  const linesAt = Map.groupBy(lines, ({ atMs }) => atMs);
  const timesAt = Map.groupBy(times, ({ atMs }) => atMs);
  return {
    asOf: asOfMs === null ? null : isoTime(asOfMs),
    from: isoTime(fromMs),
    to: isoTime(toMs),
    interval,
    total: figuresOf(lines, times),
    points: [...linesAt]
      .toSorted(([a], [b]) => a - b)
      .map(([atMs, of]) => ({ at: isoTime(atMs), ...figuresOf(of, timesAt.get(atMs) ?? []) })),
    failures: failures
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
      .map(({ code, count }) => ({ code, count })),
  };
}

type Figures = Overview['total'];

function figuresOf(lines: readonly OverviewLine[], times: OverviewRows['times']): Figures {
  const count = (of: (line: OverviewLine) => number) =>
    Math.max(
      0,
      lines.reduce((sum, line) => sum + of(line), 0),
    );
  const usd = (of: (line: OverviewLine) => bigint) => lines.reduce((sum, line) => sum + attoOf(line, of(line)), 0n);
  const completed = count(({ settled, mismatched }) => settled - mismatched);
  const failed = count((line) => line.failed);
  const gasUsd = usd((line) => line.gasUsd);
  return {
    completed,
    failed,
    canceled: count(({ canceled }) => canceled),
    mismatched: count(({ mismatched }) => mismatched),
    refunds: count(({ refunds }) => refunds),
    reversals: count(({ reversals }) => reversals),
    successRate: shareOf(BigInt(completed), BigInt(completed + failed)),
    volumeUsd: printUsd(usd(({ volumeUsd }) => volumeUsd)),
    refundedUsd: printUsd(usd(({ refundedUsd }) => refundedUsd)),
    unpriced: count(({ unpriced }) => unpriced),
    gasUsd: printUsd(gasUsd),
    gasShare: shareOf(
      gasUsd,
      usd(({ carriedUsd }) => carriedUsd),
    ),
    settleTime: settleTimeOf(times),
    tokens: tokensOf(lines),
  };
}

function settleTimeOf(times: OverviewRows['times']): Figures['settleTime'] {
  const p50Ms = settlePercentile(times, 50);
  const p95Ms = settlePercentile(times, 95);
  if (p50Ms === undefined || p95Ms === undefined) return null;
  return { count: times.reduce((sum, { count }) => sum + count, 0), p50Ms, p95Ms };
}

function tokensOf(lines: readonly OverviewLine[]): OverviewToken[] {
  const groups = Map.groupBy(lines, ({ network, asset }) => `${network} ${asset}`);
  return [...groups.values()].flatMap((of) => {
    const [first] = of;
    return first === undefined ? [] : [tokenLine(first, of)];
  });
}

function tokenLine(first: OverviewLine, lines: readonly OverviewLine[]): OverviewToken {
  const network = first.network as NetworkId;
  const token = tokenOf(network, first.asset);
  const coin = coinOf(network);
  const sum = (of: (line: OverviewSums) => bigint) => lines.reduce((total, line) => total + of(line), 0n);
  return {
    chain: network,
    tokenShortcode: token.shortcode,
    asset: first.asset,
    decimals: token.decimals,
    volume: printAmount(
      sum(({ volume }) => volume),
      token.decimals,
    ),
    volumeUsd: printUsd(
      attoOf(
        first,
        sum(({ volumeUsd }) => volumeUsd),
      ),
    ),
    refunded: printAmount(
      sum(({ refunded }) => refunded),
      token.decimals,
    ),
    gas: printAmount(
      sum(({ gas }) => gas),
      coin.decimals,
    ),
    gasToken: coin.symbol,
    gasDecimals: coin.decimals,
    gasShare: shareOf(
      sum(({ gasValue }) => gasValue),
      sum(({ carried }) => carried),
    ),
  };
}

/** Attodollars. Without its decimals a token has no dollars. */
function attoOf({ network, asset }: OverviewLine, product: bigint): bigint {
  const { shortcode, decimals } = tokenOf(network as NetworkId, asset);
  return shortcode === null ? 0n : product / 10n ** BigInt(decimals);
}

/** A sum below zero is a row that somebody changed: `ledger check` tells it, and nothing is shown. */
const printAmount = (atomic: bigint, decimals: number) => printSigned(atomic < 0n ? 0n : atomic, decimals);
const printUsd = (atto: bigint) => printAmount(atto / 10n ** BigInt(ATTO_DECIMALS - USD_DECIMALS), USD_DECIMALS);

function shareOf(part: bigint, whole: bigint): string | null {
  if (whole <= 0n || part < 0n) return null;
  const scaled = ((part * 10n ** BigInt(SHARE_DECIMALS)) / whole).toString().padStart(SHARE_DECIMALS + 1, '0');
  return `${scaled.slice(0, -SHARE_DECIMALS)}.${scaled.slice(-SHARE_DECIMALS)}`;
}
