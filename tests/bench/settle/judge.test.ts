import { expect, test } from 'vitest';
import type { Costs } from '../meters/costs.ts';
import { barsOf, bestOf, betterOf, figuresOf, missedOf, type SettleRun } from './judge.ts';
import type { Level } from './measure-level.ts';
import type { ReferenceLevel } from './reference.ts';
import { atOnce, type Load } from './run-load.ts';
import { tabulate } from './tabulate.ts';

const ROWS = { inserted: 10, updated: 12, updatedInPage: 1, deleted: 0, byTable: {} };

function costsOf(cpuMs: number, gas: number): Costs {
  return {
    payments: 1_000,
    seconds: 10,
    cpuMs,
    cpuMsOf: { api: cpuMs / 2, postgres: cpuMs / 2 },
    besideMsOf: { chain: 0.4, load: 0.1, rest: 0.2 },
    kernelMs: 0.5,
    stolenMs: 0,
    busyShare: 0.9,
    gas,
    walBytes: 20_000,
    statements: 0.5,
    statementsOf: {},
    rpcCalls: 3,
    rpcCallsOf: {},
    rowVersions: 22,
    rowVersionsOf: ROWS,
    listenOverflows: 0,
  };
}

const timing = (perSecond: number, p50Ms: number, p99Ms: number) => ({
  settled: 1_000,
  failed: 0,
  perSecond,
  middlePerSecond: perSecond * 1.1,
  p50Ms,
  p99Ms,
  seconds: 10,
  spans: [],
});

function levelOf(load: Load, perSecond: number, cpuMs: number, wish: Partial<Level> = {}): Level {
  return {
    ...timing(perSecond, 1_000, 2_000),
    load,
    costs: costsOf(cpuMs, 52_000),
    intent: costsOf(0.5, 0),
    cpuMs: cpuMs + 0.5,
    unheard: 0,
    finalSeconds: 2,
    notes: {},
    ...wish,
  };
}

const reference = (name: ReferenceLevel['name'], perSecond: number, cpuMs: number): ReferenceLevel => ({
  ...timing(perSecond, 1_000, 2_000),
  name,
  load: atOnce(256),
  costs: costsOf(cpuMs, 85_000),
});

const GOOD: SettleRun = {
  seconds: 10,
  runs: [
    {
      merchants: 1,
      idle: costsOf(20, 0),
      levels: [
        levelOf(atOnce(32), 32, 5),
        levelOf(atOnce(2_048), 900, 1),
        // An open loop has the rate that it was asked to have.
        levelOf({ kind: 'open', perSecond: 2_000 }, 2_000, 9),
      ],
    },
    { merchants: 1_000, idle: undefined, levels: [levelOf(atOnce(2_048), 800, 1.1)] },
  ],
  references: [reference('published', 100, 9), reference('tuned', 300, 4)],
  bare: { perSecond: 8_000, engine: Number.NaN, commits: Number.NaN },
};

test('of a reference level that ran twice the better rate counts, once', () => {
  const [published, tuned] = [reference('published', 100, 9), reference('tuned', 300, 4)];
  const again = [reference('published', 90, 10), reference('tuned', 360, 3)];
  expect(betterOf([published, tuned], again)).toEqual([published, again[1]]);
  expect(betterOf([{ ...tuned, load: atOnce(32) }], again)).toEqual([{ ...tuned, load: atOnce(32) }]);
});

test('a run that reaches every bar misses none', () => {
  const figures = figuresOf(GOOD);
  expect(figures).toMatchObject({
    one_per_s: 900,
    one_at: 2_048,
    one_cpu_ms: 1.5,
    one_wal_bytes: 40_000,
    rate_to_published: 9,
    rate_to_tuned: 3,
    cpu_to_tuned: 0.375,
    many_rate_to_one: 0.889,
    p99_to_p50_2048: 2,
  });
  expect(missedOf(barsOf(figures))).toEqual([]);
});

test.each<readonly [string, Partial<SettleRun>, string]>([
  ['the intent alone is too dear', runWith(levelOf(atOnce(2_048), 900, 1.2)), 'CPU of a payment with its intent'],
  ['the tuned facilitator is half as fast', { references: [reference('tuned', 450, 4)] }, 'tuned facilitator'],
  ['the published facilitator is a third as fast', { references: [reference('published', 300, 9)] }, 'as published'],
  ['a settlement failed', runWith(levelOf(atOnce(2_048), 900, 1, { failed: 1 })), 'settlements that failed'],
  ['a webhook is missing', runWith(levelOf(atOnce(2_048), 900, 1, { unheard: 1 })), 'webhooks that did not arrive'],
  ['a payment is not final', runWith(levelOf(atOnce(2_048), 900, 1, { finalSeconds: Number.NaN })), 'not final'],
  ['the slowest wait long', runWith(levelOf(atOnce(2_048), 900, 1, { p99Ms: 3_100 })), 'p99 to p50'],
  [
    'a connection was dropped',
    runWith(levelOf(atOnce(2_048), 900, 1, { costs: { ...costsOf(1, 52_000), listenOverflows: 1 } })),
    'ListenOverflows',
  ],
])('a bar is missed when %s', (_, change, about) => {
  const missed = missedOf(barsOf(figuresOf({ ...GOOD, ...change })));
  expect(missed).toHaveLength(1);
  expect(missed[0]).toContain(about);
});

test('what was not measured is neither reached nor missed', () => {
  const bars = barsOf(figuresOf({ ...GOOD, runs: [], references: [] }));
  expect(bars.filter(({ met }) => met !== undefined)).toEqual([]);
  expect(missedOf(bars)).toEqual([]);
});

test('the best of no levels is none', () => {
  expect(bestOf([])).toBeUndefined();
});

test('the first table has CPU and gas of each beside ours with one merchant', () => {
  const lines = tabulate('a machine', GOOD, barsOf(figuresOf(GOOD)));
  expect(lines).toContain('| ours, 1 merchant, with the intent | 1.5 | 1 | 52000 | 1 | 900 | 1 | 2048 | 1000 | 2000 |');
  expect(lines).toContain('| facilitator, tuned | 4 | 2.67 | 85000 | 1.63 | 300 | 0.33 | 256 | 1000 | 2000 |');
  expect(lines.filter((line) => line.includes('missed'))).toEqual([]);
});

test('the table of bars says which are missed', () => {
  const slow: SettleRun = { ...GOOD, references: [reference('tuned', 450, 4)] };
  const lines = tabulate('a machine', slow, barsOf(figuresOf(slow)));
  expect(lines).toContain('| best rate to that of the tuned facilitator | 2 | at least 2.5: **missed** |');
});

function runWith(level: Level): Partial<SettleRun> {
  return {
    runs: GOOD.runs.map((run) =>
      run.merchants === 1
        ? { ...run, levels: [level] }
        : { ...run, levels: [levelOf(atOnce(2_048), 800, level.costs.cpuMs)] },
    ),
  };
}
