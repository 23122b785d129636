// What the parts hold at one moment: memory and sockets from /proc, rows and bytes from PostgreSQL.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { SettlementWorld } from '../settlement/world.ts';

type PartSample = { readonly mebibytes: number; readonly sockets: number };
export type Sample = {
  readonly seconds: number;
  readonly completed: number;
  readonly parts: Readonly<Record<string, PartSample>>;
  /** Dead rows for each live one, over all tables. */
  readonly deadShare: number;
  readonly bytesPerPayment: number;
};

const KIBIBYTES_IN_A_MEBIBYTE = 1_024;

export async function sampleWorld(world: SettlementWorld, seconds: number): Promise<Sample> {
  const pids: Readonly<Record<string, readonly number[]>> = {
    api: world.apis.map((program) => program.pid()),
    settlement: world.settlements.map((program) => program.pid()),
    webhooks: world.senders.map((program) => program.pid()),
    engine: world.engines.map((engine) => engine.pid()),
    postgres: [world.postgres.pid()],
  };
  const families = familiesOf();
  const parts = Object.entries(pids).map(([name, roots]) => [name, samplePart(roots, families)] as const);
  const { rows } = await world.postgres.pool.query<{ live: number; dead: number; bytes: number; completed: number }>(
    `select sum(n_live_tup)::float8 as live, sum(n_dead_tup)::float8 as dead,
       sum(pg_total_relation_size(relid))::float8 as bytes,
       (select count(*)::integer from svc.payments where status = 'completed') as completed
     from pg_stat_user_tables where schemaname = 'svc'`,
  );
  const { live = 0, dead = 0, bytes = 0, completed = 0 } = rows[0] ?? {};
  return {
    seconds,
    completed,
    parts: Object.fromEntries(parts),
    deadShare: dead / Math.max(1, live),
    bytesPerPayment: bytes / Math.max(1, completed),
  };
}

/** Children by parent. */
function familiesOf(): ReadonlyMap<number, readonly number[]> {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const known = all.flatMap((name) => {
    const stat = readOr(`/proc/${name}/stat`);
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return parent === undefined ? [] : [{ pid: Number.parseInt(name, 10), parent: Number.parseInt(parent, 10) }];
  });
  return new Map(
    [...Map.groupBy(known, ({ parent }) => parent)].map(([parent, of]) => [parent, of.map(({ pid }) => pid)]),
  );
}

function samplePart(roots: readonly number[], families: ReadonlyMap<number, readonly number[]>): PartSample {
  const withChildren = (pid: number): readonly number[] => [pid, ...(families.get(pid) ?? []).flatMap(withChildren)];
  const all = roots.flatMap(withChildren);
  return {
    mebibytes: all.reduce((sum, pid) => sum + memoryOf(pid), 0),
    sockets: all.reduce((sum, pid) => sum + socketsOf(pid), 0),
  };
}

/** What it shares with others is counted once between them. */
function memoryOf(pid: number): number {
  const kibibytes = /^Pss:\s+(\d+) kB/m.exec(readOr(`/proc/${pid}/smaps_rollup`))?.[1] ?? '0';
  return Number.parseInt(kibibytes, 10) / KIBIBYTES_IN_A_MEBIBYTE;
}

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).filter((name) => linkOr(`${folder}/${name}`).startsWith('socket:')).length;
  } catch {
    // It ended between the listing and the look.
    return 0;
  }
}

function linkOr(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // Closed meanwhile.
    return '';
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Ended meanwhile.
    return '';
  }
}
