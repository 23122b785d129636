import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadInstallationId } from '@svc-pay/postgres/operator';
import { createMaintenanceStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase, idAt, insertRow } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { askSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const OLD = new Date('2024-01-10T00:00:00Z');

async function openArchive(kind: 'month' | 'day' = 'month') {
  const { url, pool } = await createTestDatabase();
  const directory = await mkdtemp(path.join(tmpdir(), 'svc-archive-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const environment = { ...svcEnvironment(url), SVC_ARCHIVE_DIR: directory };
  await pool.query(
    "update svc.partitioned_tables set partition_by = $1, months_kept = 3 where table_name in ('events', 'acceptances')",
    [kind],
  );
  await pool.query('select svc.ensure_partitions(0, 0, $1)', [OLD]);
  await insertRow(pool, 'events', { id: idAt('evt', OLD.getTime()), created_at: OLD });
  const retire = (archive: 'directory' | 'unset') =>
    createMaintenanceStore(pool).runRetention({
      archive,
      archiveDirectory: archive === 'unset' ? undefined : directory,
      clock: { nowMs: () => Date.now() },
      stop: new AbortController().signal,
      onRetired: () => {},
      onFailure: (_, problem) => {
        throw problem;
      },
    });
  const folder = path.join(directory, await loadInstallationId(pool), `events_2024_01${kind === 'day' ? '_10' : ''}.1`);
  return { pool, environment, retire, folder };
}

test.each([
  ['month', '2024_01.1'],
  ['day', '2024_01_10.1'],
] as const)('archives of a %s are listed and verified; one that is damaged or absent is named', async (kind, time) => {
  const { environment, retire, folder } = await openArchive(kind);
  expect(await askSvc(environment, 'archive', 'verify')).toMatchObject({ exitCode: 0, document: { months: [] } });
  await retire('directory');
  const { document } = await askSvc(environment, 'archive', 'list');
  const { months } = document as { months: { month: string }[] };
  expect(months.find(({ month }) => month === `events_${time}`)).toMatchObject({ rows: 1, archive: 'there' });
  // Without rows it is dropped without an archive.
  expect(months.find(({ month }) => month === `acceptances_${time}`)).toMatchObject({ rows: 0, archive: 'none' });
  const verify = async () => {
    const { exitCode, document: result } = await askSvc(environment, 'archive', 'verify', `events_${time}`);
    return [exitCode, (result as { months?: { fault: string }[] }).months?.[0]?.fault];
  };
  expect(await verify()).toEqual([0, null]);

  const copy = `${folder}.copy`;
  await cp(folder, copy, { recursive: true });
  const rows = path.join(folder, 'rows.ndjson.gz');
  await writeFile(rows, (await readFile(rows)).subarray(0, -9));
  expect(await verify()).toEqual([1, 'damaged']);

  await rm(folder, { recursive: true });
  expect(await verify()).toEqual([1, 'absent']);
  await cp(copy, folder, { recursive: true });
  expect(await verify()).toEqual([0, null]);
});

test('an archive that is whole but not that of the dropped rows is told apart', async () => {
  const { pool, environment, retire } = await openArchive();
  await retire('directory');
  await pool.query("update svc.retired_partitions set archive_hash = sha256('other') where archive_hash is not null");
  expect(await askSvc(environment, 'archive', 'verify')).toMatchObject({
    exitCode: 1,
    document: { months: [{ month: 'events_2024_01.1', fault: 'not_the_dropped_rows' }] },
  });
});

async function retentionFindings(environment: Parameters<typeof askSvc>[0]) {
  const { document } = await askSvc(environment, 'doctor');
  const { findings } = document as { findings: { subject: string; status: string; message: string }[] };
  return findings
    .filter(({ subject }) => /retention|partitions/.test(subject))
    .map(({ status, message }) => [status, message]);
}

test('doctor says that a month stays because nobody said where its archive goes', async () => {
  const { pool, environment, retire } = await openArchive();
  const findings = () => retentionFindings(environment);
  await retire('unset');
  expect(await findings()).toEqual([['warning', expect.stringContaining('events_2024_01: archive_not_set')]]);
  await pool.query("update svc.installation set created_at = now() - interval '3 days'");
  expect(await findings()).toEqual([['problem', expect.stringContaining('events_2024_01: archive_not_set')]]);
  await retire('directory');
  expect(await findings()).toEqual([['ok', expect.stringMatching(/next \d\d days have partitions/)]]);
});

test('doctor warns of days on a server with few locks', async () => {
  const { environment, retire } = await openArchive('day');
  await retire('directory');
  expect(await retentionFindings(environment)).toEqual([
    ['warning', expect.stringMatching(/acceptances, events are cut into days, and max_locks_per_transaction is \d+/)],
    ['ok', expect.stringMatching(/next 10 days have partitions/)],
  ]);
});
