// Retires one month: detach, archive, compare, drop. After a crash between any two steps either the rows are there, as a
// partition or as a table of their own, or a whole archive is; the next run goes on from what it finds.
import { type ArchiveChoice, type Clock, decideRetirement, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { tryForLock } from '../database/try-for-lock.ts';
import { archiveName, countLines, readLines, readManifest, setAside, writeArchive } from './archive-files.ts';
import { type ExpiredPartition, inspectExpiredPartition, readColumns, readRows } from './expired-partitions.ts';

export type RetireDeps = {
  readonly client: pg.ClientBase;
  readonly clock: Clock;
  readonly installation: string;
  readonly archive: ArchiveChoice;
  /** Folder of this installation; used if `archive` is `directory`. */
  readonly directory: string;
  readonly stop: AbortSignal;
  /** Called between two steps. A test ends the process there. */
  readonly onStep?: (step: string, partition: string) => void;
};

export type Retired =
  | { readonly outcome: 'archived' | 'dropped'; readonly rows: number }
  | { readonly outcome: 'waits'; readonly reason: 'unfinished_rows' | 'archive_not_set' };

export async function retirePartition(expired: ExpiredPartition, deps: RetireDeps): Promise<Retired> {
  const { client, archive } = deps;
  const { partition } = expired;
  const onStep = (step: string) => deps.onStep?.(step, partition);
  const decision = decideRetirement(await inspectExpiredPartition(client, partition), archive);
  if (decision.next === 'wait') return { outcome: 'waits', reason: decision.reason };
  const name = archiveName(partition, expired.number ?? (await detach(deps, partition)));
  onStep('detached');
  if (decision.next === 'drop') {
    const rows = await dropUnderLock(deps, partition, () => countRows(deps, partition));
    return { outcome: 'dropped', rows };
  }
  await ensureArchive(deps, expired, name);
  onStep('archived');
  const rows = await dropUnderLock(deps, partition, () => compare(deps, partition, name));
  onStep('after the commit');
  return { outcome: 'archived', rows };
}

async function detach(deps: RetireDeps, partition: string): Promise<number> {
  const { rows } = await tryForLock(deps.stop, () =>
    deps.client.query<{ number: number }>('select svc.detach_expired_partition($1) as number', [partition]),
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`${partition} was detached without a number`);
  return row.number;
}

/** Writes the archive, unless a run before this one has. Whether it is that of the rows is seen when both are compared. */
async function ensureArchive(
  deps: RetireDeps,
  { partition, tableName }: ExpiredPartition,
  name: string,
): Promise<void> {
  const { client, clock, directory, installation, stop, onStep } = deps;
  const written = await readManifest(directory, name).catch(async () => {
    await setAside(directory, name, String(clock.nowMs()));
    return undefined;
  });
  if (written !== undefined) return;
  await writeArchive(
    directory,
    {
      installation,
      name,
      table: tableName,
      columns: await readColumns(client, partition),
      writtenAt: isoTime(clock.nowMs()),
      lines: readRows(client, partition, stop),
    },
    (step) => onStep?.(step, partition),
  );
}

type Checked = { readonly rows: number; readonly sha256?: string };

/** One transaction: nobody writes to the table from the check until it is gone. */
async function dropUnderLock(
  { client, onStep = () => {} }: RetireDeps,
  partition: string,
  check: () => Promise<Checked>,
): Promise<number> {
  await client.query('begin');
  try {
    await client.query('select svc.lock_retired_partition($1)', [partition]);
    const { hasUnfinished } = await inspectExpiredPartition(client, partition);
    if (hasUnfinished) throw new Error(`${partition} has rows with work to do: attach it to its table again`);
    const { rows, sha256 } = await check();
    onStep('compared', partition);
    const hash = sha256 === undefined ? null : Buffer.from(sha256, 'hex');
    await client.query('select svc.drop_retired_partition($1, $2, $3)', [partition, rows, hash]);
    onStep('dropped in the transaction', partition);
    await client.query('commit');
    return rows;
  } catch (problem) {
    // On a connection that broke it fails too; the first problem is the one to tell.
    await client.query('rollback').catch(() => undefined);
    throw problem;
  }
}

/** Reads the archive back from its file and compares it with the table, line by line. */
async function compare(
  { client, clock, directory, stop }: RetireDeps,
  partition: string,
  name: string,
): Promise<Checked> {
  const counted = countLines();
  const archived = readLines(directory, name);
  /** Null after the last line, undefined where the file is damaged. */
  const nextLine = async () => {
    const next = await archived.next().catch(() => undefined);
    return next?.done === true ? null : next?.value;
  };
  let same = true;
  try {
    for await (const row of counted.of(readRows(client, partition, stop))) {
      const line = await nextLine();
      same = typeof line === 'string' && row.equals(Buffer.from(`${line}\n`));
      if (!same) break;
    }
    same &&= (await nextLine()) === null;
  } finally {
    await archived.return().catch(() => undefined);
  }
  const { rows, sha256 } = counted.result();
  const manifest = await readManifest(directory, name).catch(() => undefined);
  if (same && manifest?.rows === rows && manifest.sha256 === sha256) return { rows, sha256 };
  const aside = await setAside(directory, name, String(clock.nowMs()));
  throw new Error(`archive ${name} differs from its rows: it is now ${aside}, and the next run writes another`);
}

/** Without an archive only rows that the operator wants no copy of are dropped. */
async function countRows({ client, stop, archive }: RetireDeps, partition: string): Promise<Checked> {
  let rows = 0;
  for await (const _ of readRows(client, partition, stop)) rows += 1;
  if (rows > 0 && archive !== 'off') throw new Error(`${partition} got rows meanwhile: the next run archives them`);
  return { rows };
}
