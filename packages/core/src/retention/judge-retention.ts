// Whether old rows leave as the pages promise. `doctor` prints what is judged here; the alerts use the same numbers.
import { keysForgottenBefore } from '../idempotency/retention.ts';

const DAY_MS = 86_400_000;
/** Retention runs every hour. Alerts use the same time. */
const RETENTION_LATE_MS = 2 * DAY_MS;
/** Days after today that must have partitions. Alerts use the same number. */
const DAYS_AHEAD_MIN = 7;
/** Answers are deleted every minute; a day later they are overdue. */
const ANSWERS_LATE_MS = DAY_MS;

export type PartitionReport = {
  readonly tableName: string;
  /** Days after today that have a partition, their month's or their own; at most 92 are counted. */
  readonly daysAhead: number;
  /** Rows that are in no partition of their time. */
  readonly hasStrayRows: boolean;
  /** Months and days that are no longer kept and not dropped. */
  readonly expired: number;
};

export type RetentionReport = {
  /** The last run that left nothing undone; before the first one, when the database was created. */
  readonly succeededAtMs: number;
  /** What the last run left undone. */
  readonly problem: string | null;
  readonly tables: readonly PartitionReport[];
  /** Null when no idempotency key is stored. */
  readonly oldestAnswerAtMs: number | null;
};

export type RetentionFault =
  | { readonly fault: 'late'; readonly sinceMs: number; readonly problem: string | null }
  | { readonly fault: 'undone'; readonly problem: string }
  | { readonly fault: 'few_days_ahead'; readonly tables: readonly string[] }
  | { readonly fault: 'stray_rows'; readonly tables: readonly string[] }
  | { readonly fault: 'answers_late'; readonly sinceMs: number };

export function judgeRetention(report: RetentionReport, nowMs: number): readonly RetentionFault[] {
  const { succeededAtMs, problem, tables, oldestAnswerAtMs } = report;
  const namesOf = (of: (table: PartitionReport) => boolean) => tables.filter(of).map(({ tableName }) => tableName);
  const short = namesOf(({ daysAhead }) => daysAhead < DAYS_AHEAD_MIN);
  const stray = namesOf(({ hasStrayRows }) => hasStrayRows);
  const late = nowMs - succeededAtMs > RETENTION_LATE_MS;
  return [
    ...(late ? [{ fault: 'late', sinceMs: succeededAtMs, problem } as const] : []),
    ...(!late && problem !== null ? [{ fault: 'undone', problem } as const] : []),
    ...(short.length > 0 ? [{ fault: 'few_days_ahead', tables: short } as const] : []),
    ...(stray.length > 0 ? [{ fault: 'stray_rows', tables: stray } as const] : []),
    ...(oldestAnswerAtMs !== null && oldestAnswerAtMs < keysForgottenBefore(nowMs) - ANSWERS_LATE_MS
      ? [{ fault: 'answers_late', sinceMs: oldestAnswerAtMs } as const]
      : []),
  ];
}
