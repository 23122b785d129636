// What one payment took, from two readings of the meters.
import type { DatabaseCounts, RowVersions, WrittenRows } from './database-counts.ts';
import type { MachineCpu } from './machine-cpu.ts';

export type CpuReading = {
  readonly atMs: number;
  /** Seconds by name. */
  readonly charged: Readonly<Record<string, number>>;
  readonly beside: Readonly<Record<string, number>>;
  readonly machine: MachineCpu;
};

export type Reading = CpuReading & {
  readonly head: bigint;
  readonly calls: Readonly<Record<string, number>>;
  readonly listenOverflows: number;
  readonly database?: DatabaseCounts;
};

type Between = {
  readonly gas: number;
  readonly rows?: { readonly before: RowVersions; readonly after: RowVersions };
};

/** Of one payment, unless a name says otherwise. */
export type Costs = {
  readonly payments: number;
  /** Of the whole reading. */
  readonly seconds: number;
  readonly cpuMs: number;
  readonly cpuMsOf: Readonly<Record<string, number>>;
  /** Not charged: chain, addresses of the chain, receiver, load, and all that no name covers. */
  readonly besideMsOf: Readonly<Record<string, number>>;
  /** Of all that the machine did, the part inside the kernel, and what the host took away. */
  readonly kernelMs: number;
  readonly stolenMs: number;
  /** Share of the cores' time, of the whole reading. */
  readonly busyShare: number;
  readonly gas: number;
  readonly walBytes: number;
  readonly statements: number;
  readonly statementsOf: Readonly<Record<string, number>>;
  readonly rpcCalls: number;
  readonly rpcCallsOf: Readonly<Record<string, number>>;
  readonly rowVersions: number;
  readonly rowVersionsOf: RowVersions;
  /** Connections of the whole reading that the kernel dropped. */
  readonly listenOverflows: number;
};

const NO_ROWS: RowVersions = { inserted: 0, updated: 0, updatedInPage: 0, deleted: 0, byTable: {} };

export function costsBetween(before: Reading, after: Reading, { gas, rows }: Between, payments: number): Costs {
  if (before.database?.countedSince !== after.database?.countedSince)
    throw new Error('PostgreSQL crashed and recovered while payments ran: its log says why, and no count of it holds');
  const each = (value: number) => value / payments;
  const grown = (earlier: Readonly<Record<string, number>>, later: Readonly<Record<string, number>>, scale = 1) =>
    Object.fromEntries(
      Object.entries(later).map(([name, value]) => [name, each((value - (earlier[name] ?? 0)) * scale)]),
    );
  const cpuMsOf = grown(before.charged, after.charged, 1_000);
  const named = grown(before.beside, after.beside, 1_000);
  const machine = (part: keyof MachineCpu) => after.machine[part] - before.machine[part];
  const cpuMs = sumOf(cpuMsOf);
  const rest = each(machine('busy') * 1_000) - cpuMs - sumOf(named);
  const statementsOf = grown(before.database?.statements ?? {}, after.database?.statements ?? {});
  const rpcCallsOf = grown(before.calls, after.calls);
  const rowVersionsOf = rowsBetween(rows?.before ?? NO_ROWS, rows?.after ?? NO_ROWS, each);
  return {
    payments,
    seconds: (after.atMs - before.atMs) / 1_000,
    cpuMs,
    cpuMsOf,
    besideMsOf: { ...named, rest },
    kernelMs: each(machine('kernel') * 1_000),
    stolenMs: each(machine('stolen') * 1_000),
    busyShare: machine('busy') / machine('total'),
    gas: each(gas),
    walBytes: each((after.database?.walBytes ?? 0) - (before.database?.walBytes ?? 0)),
    statements: sumOf(statementsOf),
    statementsOf,
    rpcCalls: sumOf(rpcCallsOf),
    rpcCallsOf,
    rowVersions: rowVersionsOf.inserted + rowVersionsOf.updated,
    rowVersionsOf,
    listenOverflows: after.listenOverflows - before.listenOverflows,
  };
}

function rowsBetween(before: RowVersions, after: RowVersions, each: (value: number) => number): RowVersions {
  const between = (earlier: WrittenRows | undefined, later: WrittenRows): WrittenRows => ({
    inserted: each(later.inserted - (earlier?.inserted ?? 0)),
    updated: each(later.updated - (earlier?.updated ?? 0)),
    updatedInPage: each(later.updatedInPage - (earlier?.updatedInPage ?? 0)),
    deleted: each(later.deleted - (earlier?.deleted ?? 0)),
  });
  const byTable = Object.entries(after.byTable)
    .map(([table, written]) => [table, between(before.byTable[table], written)] as const)
    .filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0);
  return { ...between(before, after), byTable: Object.fromEntries(byTable) };
}

export function sumOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}
