// Ranges of the overview, in whole hours or days (UTC) up to the running one.
import type { Overview, OverviewPoint } from '@svc-pay/protocol/merchant';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const RANGES = {
  '24h': { words: '24 hours', interval: 'hour', count: 24, stepMs: HOUR_MS },
  '7d': { words: '7 days', interval: 'day', count: 7, stepMs: DAY_MS },
  '30d': { words: '30 days', interval: 'day', count: 30, stepMs: DAY_MS },
  '90d': { words: '90 days', interval: 'day', count: 90, stepMs: DAY_MS },
} as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[];
export const USUAL_RANGE: RangeName = '7d';

export const isRange = (text: unknown): text is RangeName => typeof text === 'string' && Object.hasOwn(RANGES, text);

export function boundsOf(range: RangeName, nowMs: number): { readonly from: string; readonly to: string } {
  const { count, stepMs } = RANGES[range];
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  return { from: new Date(endMs - count * stepMs).toISOString(), to: new Date(endMs).toISOString() };
}

export type Slot = { readonly atMs: number; readonly point: OverviewPoint | undefined };

/** Every interval of the overview: one in which nothing happened has no point. */
export function slotsOf({
  from,
  to,
  interval,
  points,
}: Pick<Overview, 'from' | 'to' | 'interval' | 'points'>): readonly Slot[] {
  const stepMs = interval === 'hour' ? HOUR_MS : DAY_MS;
  const [startMs, endMs] = [Date.parse(from), Date.parse(to)];
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  const count = Math.max(0, Math.round((endMs - startMs) / stepMs));
  return Array.from({ length: count }, (_, index) => {
    const atMs = startMs + index * stepMs;
    return { atMs, point: byTime.get(atMs) };
  });
}

const hourForm = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const dayForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const longForm = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** On the axis. */
export const shortLabel = (atMs: number, interval: Overview['interval']): string =>
  (interval === 'hour' ? hourForm : dayForm).format(atMs);

/** Where it is read alone. */
export const longLabel = (atMs: number, interval: Overview['interval']): string =>
  interval === 'hour' ? `${dayForm.format(atMs)}, ${hourForm.format(atMs)} UTC` : longForm.format(atMs);
