import { expect, test } from 'vitest';
import { judgeRetention, type RetentionReport } from './judge-retention.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 15);
const TABLE = { tableName: 'events', daysAhead: 92, hasStrayRows: false, expired: 0 };
const REPORT: RetentionReport = { succeededAtMs: NOW, problem: null, tables: [TABLE], oldestAnswerAtMs: null };

test.each<[string, Partial<RetentionReport>, readonly string[]]>([
  ['a run two days ago is no fault', { succeededAtMs: NOW - 2 * DAY_MS }, []],
  ['a run longer ago is', { succeededAtMs: NOW - 2 * DAY_MS - 1, problem: 'disk full' }, ['late']],
  ['what the last run left undone is told before it is late', { problem: 'disk full' }, ['undone']],
  ['partitions for a week are enough', { tables: [{ ...TABLE, daysAhead: 7 }] }, []],
  ['partitions for a day less are not', { tables: [{ ...TABLE, daysAhead: 6 }] }, ['few_days_ahead']],
  ['rows without a month', { tables: [{ ...TABLE, hasStrayRows: true }] }, ['stray_rows']],
  ['an answer of 31 days is on its way out', { oldestAnswerAtMs: NOW - 31 * DAY_MS }, []],
  ['an older one was forgotten', { oldestAnswerAtMs: NOW - 31 * DAY_MS - 1 }, ['answers_late']],
])('%s', (_, change, faults) => {
  expect(judgeRetention({ ...REPORT, ...change }, NOW).map(({ fault }) => fault)).toEqual(faults);
});
