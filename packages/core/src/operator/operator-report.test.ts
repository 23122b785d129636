import { operatorReport } from '@svc-pay/protocol/operator';
import { expect, test } from 'vitest';
import { type LedgerCheckFact, type OperatorFacts, operatorReportOf } from './operator-report.ts';

const NOW = 1_794_744_000_000;
const HOUR = 3_600_000;
const nothing: OperatorFacts = {
  health: [],
  nodes: [],
  tokenLedgers: [],
  lanes: [],
  backlog: [],
  lastCheck: undefined,
  openCheck: undefined,
};
const check: LedgerCheckFact = {
  startedAtMs: NOW - HOUR,
  endedAtMs: NOW - HOUR + 60_000,
  booksAtMs: NOW - HOUR + 1_000,
  networks: ['eip155:8453'],
  uncompared: [],
  looked: 12,
  differing: 0,
  obstacle: null,
};

test('the report of an installation that has recorded nothing is empty, and has no ledger check', () => {
  const report = operatorReport.parse(operatorReportOf(nothing, NOW));
  expect(report).toMatchObject({ networks: [], lanes: [], ledgerCheck: { last: null, open: null } });
  expect(report.backlog.map(({ count, oldestAt }) => [count, oldestAt])).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
});

test('a network is told of by whatever is recorded of it, and a reading that is a minute old is marked', () => {
  const { networks } = operatorReportOf(
    {
      ...nothing,
      health: [
        { network: 'eip155:8453', offered: true, reason: null, sinceMs: NOW - HOUR, checkedAtMs: NOW - 60_001 },
        { network: 'eip155:1', offered: false, reason: 'paused', sinceMs: NOW - HOUR, checkedAtMs: NOW - 60_000 },
      ],
      tokenLedgers: [
        { network: 'icp:mainnet', ledger: 'a-b', nextIndex: 7n, readAtMs: null, stoppedAtMs: null },
        { network: 'icp:mainnet', ledger: 'c-d', nextIndex: 9n, readAtMs: NOW, stoppedAtMs: NOW - 5 },
      ],
      backlog: [{ stage: 'queued', network: 'eip155:1', waiting: 10_000, oldestMs: NOW - 9_000 }],
    },
    NOW,
  );
  expect(networks.map(({ network, offered, health }) => [network, offered, health.old])).toEqual([
    ['eip155:1', false, false],
    ['eip155:8453', true, true],
    ['icp:mainnet', null, true],
  ]);
  expect(networks[2]?.tokenLedgers.map(({ old, stoppedAt }) => [old, stoppedAt !== null])).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(networks[0]?.backlog[0]).toMatchObject({ stage: 'queued', count: 10_000, more: true });
  expect(networks[1]?.backlog[0]).toMatchObject({ stage: 'queued', count: 0, more: false, oldestAt: null });
});

test('a ledger check that is older than a day and some hours is marked', () => {
  const oldOf = (startedAtMs: number) =>
    operatorReportOf({ ...nothing, lastCheck: { ...check, startedAtMs } }, NOW).ledgerCheck.last?.old;
  expect([oldOf(NOW - 27 * HOUR), oldOf(NOW - 28 * HOUR)]).toEqual([false, true]);
});
