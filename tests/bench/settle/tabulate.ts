// The run as the tables of the page on performance.
import type { Costs } from '../meters/costs.ts';
import { type Bar, bestOf, type MerchantsRun, oneAndMany, type SettleRun } from './judge.ts';
import type { Level } from './measure-level.ts';
import type { ReferenceLevel, ReferenceName } from './reference.ts';
import { nameOfLoad } from './run-load.ts';

type Row = readonly (string | number | undefined)[];

export function tabulate(machine: string, run: SettleRun, bars: readonly Bar[]): readonly string[] {
  return [
    `Seen on ${machine}. Each level ran for ${run.seconds} seconds.`,
    '',
    ...headline(run),
    '',
    ...table(
      ['', 'seen', 'asked for'],
      bars.map(({ about, seen, asked, met }) => [
        about,
        shown(seen, 3),
        met === false ? `${asked}: **missed**` : asked,
      ]),
    ),
    '',
    ...levelsTable(run),
    ...run.runs.flatMap(partsOf),
    ...besideTable(run),
  ];
}

/** CPU and gas of a payment first, each at its best rate; ratios are to ours with one merchant. */
function headline({ runs, references }: SettleRun): readonly string[] {
  const { one } = oneAndMany(runs);
  const base = bestOf(one?.levels ?? []);
  const ours = runs.flatMap(({ merchants, levels }) => {
    const best = bestOf(levels);
    return best === undefined ? [] : [{ name: oursName(merchants), best, cpuMs: best.cpuMs }];
  });
  const others = (['published', 'tuned'] as const).flatMap((name) => {
    const best = bestOf(references.filter((level) => level.name === name));
    return best === undefined ? [] : [{ name: referenceName(name), best, cpuMs: best.costs.cpuMs }];
  });
  const to = (value: number, own: number | undefined) => (own === undefined ? '' : shown(value / own, 2));
  return table(
    ['at its best rate', 'CPU ms', 'to ours', 'gas', 'to ours', 'a second', 'to ours', 'at once', 'p50 ms', 'p99 ms'],
    [...ours, ...others].map(({ name, best, cpuMs }) => [
      name,
      shown(cpuMs, 2),
      to(cpuMs, base?.cpuMs),
      shown(best.costs.gas, 0),
      to(best.costs.gas, base?.costs.gas),
      shown(best.perSecond, 1),
      to(best.perSecond, base?.perSecond),
      best.load.kind === 'closed' ? best.load.concurrency : '',
      best.p50Ms,
      best.p99Ms,
    ]),
  );
}

const oursName = (merchants: number) => `ours, ${merchants} merchant${merchants === 1 ? '' : 's'}, with the intent`;
const referenceName = (name: ReferenceName) =>
  name === 'published' ? 'facilitator as published' : 'facilitator, tuned';

function levelsTable({ runs, references }: SettleRun): readonly string[] {
  const row = (name: string, level: Level | ReferenceLevel, cpuMs: number): Row => [
    name,
    nameOfLoad(level.load),
    shown(level.perSecond, 1),
    shown(level.middlePerSecond, 1),
    level.p50Ms,
    level.p99Ms,
    shown(cpuMs, 2),
    shown(level.costs.gas, 0),
    shown(level.costs.busyShare * 100, 0),
    level.failed,
  ];
  const ours = runs.flatMap(({ merchants, levels }) =>
    levels.map((level) => row(oursName(merchants), level, level.cpuMs)),
  );
  const others = references.map((level) => row(referenceName(level.name), level, level.costs.cpuMs));
  const heads = [
    '',
    'load',
    'a second',
    'middle 70 %',
    'p50 ms',
    'p99 ms',
    'CPU ms',
    'gas',
    'machine busy, %',
    'failed',
  ];
  return table(heads, [...ours, ...others]);
}

/** Whose CPU it is, and what was written and asked, at the level with the best rate. */
function partsOf({ merchants, levels, idle }: MerchantsRun): readonly string[] {
  const best = bestOf(levels);
  if (best === undefined) return [];
  const columns: readonly (readonly [string, (costs: Costs) => number, number])[] = [
    ...Object.keys(best.costs.cpuMsOf).map(
      (part) => [`CPU ms: ${part}`, (costs: Costs) => costs.cpuMsOf[part] ?? 0, 3] as const,
    ),
    ['**CPU ms**', (costs) => costs.cpuMs, 3],
    ['written ahead, bytes', (costs) => costs.walBytes, 0],
    ['row versions', (costs) => costs.rowVersions, 1],
    ['of them updated within the page', (costs) => costs.rowVersionsOf.updatedInPage, 1],
    ['statements', (costs) => costs.statements, 2],
    ['calls to nodes', (costs) => costs.rpcCalls, 2],
  ];
  const cell = (value: number | undefined, digits: number) => shown(value, digits);
  return [
    '',
    ...table(
      [`${oursName(merchants)}, ${nameOfLoad(best.load)}`, 'intent', 'settlement', 'payment', 'an idle second'],
      columns.map(([name, of, digits]) => [
        name,
        cell(of(best.intent), digits),
        cell(of(best.costs), digits),
        cell(of(best.intent) + of(best.costs), digits),
        cell(idle && of(idle), digits),
      ]),
    ),
  ];
}

/** Work for the same payments that nobody is charged with. */
function besideTable({ runs, references }: SettleRun): readonly string[] {
  const bests = [
    ...runs.map(({ merchants, levels }) => ({ name: oursName(merchants), best: bestOf(levels) })),
    ...(['published', 'tuned'] as const).map((name) => ({
      name: referenceName(name),
      best: bestOf(references.filter((level) => level.name === name)),
    })),
  ].flatMap(({ name, best }) => (best === undefined ? [] : [{ name, costs: best.costs }]));
  const parts = ['chain', 'nodes', 'receiver', 'load', 'rest'];
  return [
    '',
    ...table(
      [
        'beside, CPU ms',
        'chain',
        'its addresses',
        'receiver',
        'load',
        'rest',
        'machine in the kernel',
        'stolen',
        'calls',
      ],
      bests.map(({ name, costs }) => [
        name,
        ...parts.map((part) => shown(costs.besideMsOf[part], 2)),
        shown(costs.kernelMs, 2),
        shown(costs.stolenMs, 2),
        shown(costs.rpcCalls, 2),
      ]),
    ),
  ];
}

function table(heads: readonly string[], rows: readonly Row[]): readonly string[] {
  const line = (cells: Row) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function shown(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value) ? '–' : String(Number(value.toFixed(digits)));
}
