// Everything that is counted while payments run, read before and after: CPU by process and of the whole machine, gas, what
// the database wrote and was asked, calls to nodes, and connections that the kernel dropped.
import type { JsonRpc } from '@svc-pay/evm';
import type pg from 'pg';
import { cpuSeconds } from '../intents/cpu-time.ts';
import { headOf } from '../settle/prove-settled.ts';
import { gasBetween } from './chain-gas.ts';
import { type Costs, type CpuReading, costsBetween, type Reading } from './costs.ts';
import { type RowVersions, readDatabase, readRowVersions } from './database-counts.ts';
import { machineCpu } from './machine-cpu.ts';
import { listenOverflows } from './netstat.ts';
import type { NodeFronts } from './start-node-fronts.ts';

export type MeterSources = {
  /** Processes that a payment is charged with, each with its children. */
  readonly charged: Readonly<Record<string, number>>;
  /** Processes that work for the payment and are not charged: the chain, its addresses, the receiver. */
  readonly beside: Readonly<Record<string, number>>;
  /** What this process itself is: the load beside, or the name of something charged that runs in it. */
  readonly self: { readonly name: string; readonly charged: boolean };
  /** Absent: nothing is stored. */
  readonly pool?: pg.Pool;
  /** False where there is no time to wait for them. */
  readonly rowVersions?: boolean;
  /** Absent: the chain has no gas. */
  readonly rpc?: JsonRpc;
  readonly fronts: NodeFronts;
};

export type Meters = {
  /** The last moment that counts: the CPU is read at once, whatever is asked afterwards. */
  readonly stop: (payments: number) => Promise<Metered>;
};

export type Metered = {
  readonly costs: Costs;
  /** Where the next reading begins, if it follows at once: to read them takes ten seconds. */
  readonly rows: RowVersions | undefined;
};

export async function startMeters(sources: MeterSources, rows?: RowVersions): Promise<Meters> {
  const { rpc, rowVersions = true } = sources;
  const pool = rowVersions ? sources.pool : undefined;
  const rowsBefore = rows ?? (pool && (await readRowVersions(pool)));
  const before: Reading = { ...(await readCounts(sources)), ...readCpu(sources) };
  return {
    stop: async (payments) => {
      const cpu = readCpu(sources);
      const after: Reading = { ...(await readCounts(sources)), ...cpu };
      const gas = rpc === undefined ? 0 : await gasBetween(rpc, before.head, after.head);
      const rowsAfter = pool && (await readRowVersions(pool));
      const written = rowsBefore && rowsAfter && { before: rowsBefore, after: rowsAfter };
      return {
        costs: costsBetween(before, after, { gas, ...(written && { rows: written }) }, payments),
        rows: rowsAfter,
      };
    },
  };
}

function readCpu({ charged, beside, self }: MeterSources): CpuReading {
  const secondsOf = (pids: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSeconds([pid])]));
  const { user, system } = process.cpuUsage();
  const own = { [self.name]: (user + system) / 1_000_000 };
  return {
    atMs: performance.now(),
    charged: { ...secondsOf(charged), ...(self.charged && own) },
    beside: { ...secondsOf(beside), ...(!self.charged && own) },
    machine: machineCpu(),
  };
}

async function readCounts({ pool, rpc, fronts }: MeterSources): Promise<Omit<Reading, keyof CpuReading>> {
  return {
    head: rpc === undefined ? 0n : await headOf(rpc),
    calls: await fronts.calls(),
    listenOverflows: listenOverflows(),
    ...(pool && { database: await readDatabase(pool) }),
  };
}
