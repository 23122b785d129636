import { join } from 'node:path';
import {
  type ArchiveManifest,
  countLines,
  listArchives,
  listRetiredPartitions,
  loadInstallationId,
  type RetiredPartition,
  readLines,
  readManifest,
} from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { type Opened, withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';

export function archiveCommand(surroundings: Surroundings): Command {
  const list = leaf(
    'list',
    'List the months and days that were dropped from the database, and their archives in SVC_ARCHIVE_DIR.',
    ['archive list', 'archive list --json'],
  ).action(runs(surroundings, listAll));
  const verify = leaf(
    'verify',
    'Read archives and compare them with their manifests and with what the database recorded when it dropped the rows.',
    ['archive verify', 'archive verify events_2025_09.1', 'archive verify events_2025_09_18.1'],
  )
    .argument('[month]', 'one archive, by its name (default: all of them)')
    .action(runs(surroundings, verifyAll));
  return new Command('archive')
    .description('Look after the archives of months and days that are no longer kept.')
    .addCommand(list)
    .addCommand(verify);
}

/** `absent`: the database recorded an archive that is not in the directory. */
type Fault = 'absent' | 'damaged' | 'not_the_dropped_rows' | null;

type Listed = {
  readonly month: string;
  readonly rows: number | null;
  readonly droppedAt: string | null;
  /** `none`: the rows were dropped without an archive. */
  readonly archive: 'there' | 'absent' | 'none';
};

async function listAll({ context }: Input<unknown>): Promise<CommandOutcome> {
  return withArchives(context, async ({ names, retired }) => {
    const months = [...new Set([...names, ...retired.map(({ name }) => name)])].toSorted();
    const listed = months.map((month): Listed => {
      const dropped = retired.find(({ name }) => name === month);
      const kept = dropped === undefined || dropped.sha256 !== null;
      return {
        month,
        rows: dropped?.rows ?? null,
        droppedAt: dropped?.droppedAt.toISOString() ?? null,
        archive: names.includes(month) ? 'there' : kept ? 'absent' : 'none',
      };
    });
    const text = table(
      listed,
      [
        { head: 'MONTH', cell: ({ month }) => month },
        { head: 'ROWS', cell: ({ rows }) => String(rows ?? '') },
        { head: 'DROPPED', cell: ({ droppedAt }) => droppedAt ?? 'not yet' },
        { head: 'ARCHIVE', cell: ({ archive }) => archive },
      ],
      context.paint,
    );
    return done({ months: listed }, text);
  });
}

async function verifyAll({ positionals: [only], context }: Input<unknown>): Promise<CommandOutcome> {
  return withArchives(context, async ({ directory, names, retired }) => {
    // An archive that is gone is in the list; only one that was asked for is a fault, because old ones may be deleted.
    const isKnown = names.includes(only ?? '') || retired.some(({ name, sha256 }) => name === only && sha256 !== null);
    if (only !== undefined && !isKnown) return misused(`There is no archive ${harmless(only)}.`);
    const results: { readonly month: string; readonly rows: number; readonly fault: Fault }[] = [];
    for (const month of only === undefined ? names : [only]) {
      context.print(`reading ${month} …\n`);
      const dropped = retired.find(({ name }) => name === month);
      results.push({ month, ...(await verifyOne(directory, month, dropped)) });
    }
    const broken = results.filter(({ fault }) => fault !== null);
    const text = table(
      results,
      [
        { head: 'MONTH', cell: ({ month }) => month },
        { head: 'ROWS', cell: ({ rows }) => String(rows) },
        { head: 'RESULT', cell: ({ fault }) => fault ?? 'whole' },
      ],
      context.paint,
    );
    const report = { data: { whole: broken.length === 0, months: results }, text };
    if (broken.length === 0) return done(report.data, report.text);
    return {
      ...failed(
        'archive_broken',
        `${broken.length} of ${results.length} archives do not hold.`,
        'Take them from a copy of the directory: the rows are no longer in the database.',
      ),
      report,
    };
  });
}

async function verifyOne(directory: string, month: string, dropped: RetiredPartition | undefined) {
  const counted = countLines();
  let manifest: ArchiveManifest | undefined;
  try {
    manifest = await readManifest(directory, month);
    if (manifest === undefined) return { rows: 0, fault: 'absent' } as const;
    const names = manifest.columns.map(({ name }) => name).join();
    for await (const line of counted.of(readLines(directory, month))) {
      if (Object.keys(JSON.parse(line.toString('utf8')) as object).join() !== names)
        return { rows: counted.result().rows, fault: 'damaged' } as const;
    }
  } catch {
    return { rows: counted.result().rows, fault: 'damaged' } as const;
  }
  const { rows, sha256 } = counted.result();
  if (manifest.name !== month || manifest.rows !== rows || manifest.sha256 !== sha256)
    return { rows, fault: 'damaged' } as const;
  const known = dropped === undefined || (dropped.sha256 === sha256 && dropped.rows === rows);
  return { rows, fault: known ? null : ('not_the_dropped_rows' as const) };
}

type Archives = {
  readonly directory: string;
  readonly names: readonly string[];
  readonly retired: readonly RetiredPartition[];
};

function withArchives(
  context: Input<unknown>['context'],
  work: (archives: Archives) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation, config }: Opened<never>) => {
    const retired = await listRetiredPartitions(operation.pool);
    const { archiveDir } = config;
    if (archiveDir === undefined)
      return failed(
        'configuration',
        'SVC_ARCHIVE_DIR is not set.',
        'Set it to the directory that settlement writes to.',
      );
    const directory = join(archiveDir, await loadInstallationId(operation.pool));
    const names = await listArchives(directory).catch((problem: unknown) => {
      if (problem instanceof Error && 'code' in problem && problem.code === 'ENOENT') return [];
      throw problem;
    });
    return work({ directory, names, retired });
  });
}
