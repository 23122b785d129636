// A run as figures by name, and the bars that they are held to.
import type { Costs } from '../meters/costs.ts';
import type { Level } from './measure-level.ts';
import type { ReferenceLevel, ReferenceName } from './reference.ts';
import { type Load, nameOfLoad } from './run-load.ts';
import type { Timing } from './timing.ts';

export type MerchantsRun = {
  readonly merchants: number;
  /** Of one second. */
  readonly idle: Costs | undefined;
  readonly levels: readonly Level[];
};

export type SettleRun = {
  readonly seconds: number;
  readonly runs: readonly MerchantsRun[];
  readonly references: readonly ReferenceLevel[];
  /** NaN where it was not measured. */
  readonly bare: { readonly perSecond: number; readonly engine: number; readonly commits: number };
};

export type Figures = Readonly<Record<string, number>>;
export type Bar = {
  readonly about: string;
  readonly seen: number | undefined;
  readonly asked: string;
  /** Undefined when it was not measured. */
  readonly met: boolean | undefined;
};

/** The closed loop with the best rate of its whole run. */
export function bestOf<Measured extends Timing & { readonly load: Load }>(
  levels: readonly Measured[],
): Measured | undefined {
  return levels
    .filter(({ load }) => load.kind === 'closed')
    .toSorted((one, other) => other.perSecond - one.perSecond)[0];
}

/** Each level of a reference once: the one with the better rate, where it ran twice. */
export function betterOf(
  levels: readonly ReferenceLevel[],
  again: readonly ReferenceLevel[],
): readonly ReferenceLevel[] {
  const isSame = (one: ReferenceLevel, other: ReferenceLevel) =>
    one.name === other.name && nameOfLoad(one.load) === nameOfLoad(other.load);
  return levels.map((level) => {
    const second = again.find((other) => isSame(level, other));
    return second !== undefined && second.perSecond > level.perSecond ? second : level;
  });
}

const levelAt = <Measured extends { readonly load: Load }>(levels: readonly Measured[], concurrency: number) =>
  levels.find(({ load }) => load.kind === 'closed' && load.concurrency === concurrency);

/** Ours with one merchant, and with the most. */
export function oneAndMany(runs: readonly MerchantsRun[]): {
  readonly one: MerchantsRun | undefined;
  readonly many: MerchantsRun | undefined;
} {
  const most = runs.toSorted((one, other) => other.merchants - one.merchants)[0];
  return {
    one: runs.find(({ merchants }) => merchants === 1),
    many: most !== undefined && most.merchants > 1 ? most : undefined,
  };
}

export function figuresOf({ runs, references, bare, seconds }: SettleRun): Figures {
  const { one, many } = oneAndMany(runs);
  const levels = runs.flatMap((run) => run.levels);
  const oneBest = bestOf(one?.levels ?? []);
  const manyBest = bestOf(many?.levels ?? []);
  const referenceBest = (name: ReferenceName) => bestOf(references.filter((level) => level.name === name));
  const [published, tuned] = [referenceBest('published'), referenceBest('tuned')];
  const crowd = levelAt(one?.levels ?? [], 2_048);
  const total = (value: (level: Level) => number) =>
    levels.length === 0 ? undefined : levels.reduce((sum, level) => sum + value(level), 0);
  return rounded({
    seconds,
    failed: total(({ failed }) => failed),
    webhooks_missing: total(({ unheard }) => unheard),
    not_final: total(({ finalSeconds }) => (Number.isNaN(finalSeconds) ? 1 : 0)),
    listen_overflows: total(({ costs }) => costs.listenOverflows),
    cpu_to_published: ratio(oneBest?.cpuMs, published?.costs.cpuMs),
    cpu_to_tuned: ratio(oneBest?.cpuMs, tuned?.costs.cpuMs),
    gas_to_published: ratio(oneBest?.costs.gas, published?.costs.gas),
    gas_to_tuned: ratio(oneBest?.costs.gas, tuned?.costs.gas),
    rate_to_published: ratio(oneBest?.perSecond, published?.perSecond),
    rate_to_tuned: ratio(oneBest?.perSecond, tuned?.perSecond),
    many_cpu_to_one: ratio(manyBest?.cpuMs, oneBest?.cpuMs),
    many_rate_to_one: ratio(manyBest?.perSecond, oneBest?.perSecond),
    p99_to_p50_2048: ratio(crowd?.p99Ms, crowd?.p50Ms),
    p50_to_published_32: ratio(
      levelAt(one?.levels ?? [], 32)?.p50Ms,
      levelAt(
        references.filter(({ name }) => name === 'published'),
        32,
      )?.p50Ms,
    ),
    idle_cpu_ms_per_s: one?.idle?.cpuMs,
    many_idle_cpu_ms_per_s: many?.idle?.cpuMs,
    bare_per_s: bare.perSecond,
    ratio_bare: ratio(oneBest?.perSecond, bare.perSecond),
    engine_per_s: bare.engine,
    commits_per_s: bare.commits,
    ...oursFigures('one', one),
    ...oursFigures('many', many),
    ...referenceFigures('published', references),
    ...referenceFigures('tuned', references),
  });
}

function oursFigures(prefix: string, run: MerchantsRun | undefined): Record<string, number | undefined> {
  const best = bestOf(run?.levels ?? []);
  return {
    ...named(prefix, best, best?.costs, best?.cpuMs),
    [`${prefix}_merchants`]: run?.merchants,
    [`${prefix}_wal_bytes`]: best && best.costs.walBytes + best.intent.walBytes,
    [`${prefix}_row_versions`]: best && best.costs.rowVersions + best.intent.rowVersions,
    [`${prefix}_statements`]: best && best.costs.statements + best.intent.statements,
    [`${prefix}_intent_cpu_ms`]: best?.intent.cpuMs,
    ...Object.fromEntries((run?.levels ?? []).flatMap((level) => levelFigures(prefix, level, level.cpuMs))),
  };
}

function referenceFigures(name: ReferenceName, references: readonly ReferenceLevel[]) {
  const levels = references.filter((level) => level.name === name);
  const best = bestOf(levels);
  return {
    ...named(name, best, best?.costs, best?.costs.cpuMs),
    ...Object.fromEntries(levels.flatMap((level) => levelFigures(name, level, level.costs.cpuMs))),
  };
}

function named(
  prefix: string,
  best: (Timing & { readonly load: Load }) | undefined,
  costs: Costs | undefined,
  cpuMs: number | undefined,
): Record<string, number | undefined> {
  return {
    [`${prefix}_at`]: best?.load.kind === 'closed' ? best.load.concurrency : undefined,
    [`${prefix}_per_s`]: best?.perSecond,
    [`${prefix}_middle_per_s`]: best?.middlePerSecond,
    [`${prefix}_cpu_ms`]: cpuMs,
    [`${prefix}_gas`]: costs?.gas,
    [`${prefix}_rpc_calls`]: costs?.rpcCalls,
    [`${prefix}_chain_cpu_ms`]: costs?.besideMsOf['chain'],
    [`${prefix}_failed`]: best?.failed,
  };
}

function levelFigures(prefix: string, { load, ...timing }: Timing & { readonly load: Load }, cpuMs: number) {
  const at = load.kind === 'closed' ? String(load.concurrency) : `open_${load.perSecond}`;
  return [
    [`${prefix}_${at}_per_s`, timing.perSecond],
    [`${prefix}_${at}_p50_ms`, timing.p50Ms],
    [`${prefix}_${at}_p99_ms`, timing.p99Ms],
    [`${prefix}_${at}_cpu_ms`, cpuMs],
  ] as const;
}

export function barsOf(figures: Figures): readonly Bar[] {
  const most = (about: string, name: string, bar: number): Bar => {
    const seen = figures[name];
    return {
      about,
      seen,
      asked: bar === 0 ? '0' : `at most ${bar}`,
      met: seen === undefined ? undefined : seen <= bar,
    };
  };
  const least = (about: string, name: string, bar: number): Bar => {
    const seen = figures[name];
    return { about, seen, asked: `at least ${bar}`, met: seen === undefined ? undefined : seen >= bar };
  };
  const merchants = figures['many_merchants'] ?? 1_000;
  return [
    most('settlements that failed', 'failed', 0),
    most('webhooks that did not arrive', 'webhooks_missing', 0),
    most('levels that were not final a minute later', 'not_final', 0),
    most('CPU of a payment with its intent, one merchant, ms', 'one_cpu_ms', 1.6),
    most(`the same with ${merchants} merchants, to one`, 'many_cpu_to_one', 1.15),
    least('best rate to that of the facilitator as published', 'rate_to_published', 6),
    least('best rate to that of the tuned facilitator', 'rate_to_tuned', 2.5),
    least(`best rate with ${merchants} merchants, to one`, 'many_rate_to_one', 0.85),
    most('p99 to p50 at 2,048 at once', 'p99_to_p50_2048', 3),
    most('p50 at 32 at once to that of the facilitator as published', 'p50_to_published_32', 1.25),
    most('connections that the kernel dropped (ListenOverflows)', 'listen_overflows', 0),
    most('CPU of an idle second, one merchant, ms', 'idle_cpu_ms_per_s', 25),
    least('best rate to the same batches sent bare', 'ratio_bare', 0.1),
  ];
}

export function missedOf(bars: readonly Bar[]): readonly string[] {
  return bars
    .filter(({ met }) => met === false)
    .map(({ about, seen, asked }) => `${about}: ${seen}, asked for ${asked}`);
}

function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined ? undefined : value / base;
}

function rounded(figures: Readonly<Record<string, number | undefined>>): Figures {
  const known = Object.entries(figures).filter(
    (entry): entry is [string, number] => entry[1] !== undefined && Number.isFinite(entry[1]),
  );
  return Object.fromEntries(known.map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]));
}
