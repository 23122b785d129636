// Tables with history have a partition for each month, or for each day where an operator chose days.

/** When a table has partitions of days: from the first on, up to the second. */
export type DaySpan = { readonly fromMs: number; readonly toMs: number };

const DAY_MS = 86_400_000;

/** The first moment of the partition that has the rows of `atMs`, in UTC. */
export function partitionStart(atMs: number, days: DaySpan | undefined): number {
  if (days === undefined || atMs < days.fromMs) return monthStart(atMs, 0);
  return atMs < days.toMs ? dayStart(atMs) : Math.max(monthStart(atMs, 0), days.toMs);
}

/** The first moment after the partition that has the rows of `atMs`. */
export function partitionEnd(atMs: number, days: DaySpan | undefined): number {
  if (days === undefined || atMs >= days.toMs) return monthStart(atMs, 1);
  return atMs >= days.fromMs ? dayStart(atMs) + DAY_MS : Math.min(monthStart(atMs, 1), days.fromMs);
}

const dayStart = (atMs: number): number => Math.floor(atMs / DAY_MS) * DAY_MS;

/** Of the month that is `months` after that of `atMs`. */
function monthStart(atMs: number, months: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months);
}
