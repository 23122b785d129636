// Backs up a running PostgreSQL by its low-level procedure: start, copy the files, stop, and keep the WAL up to the
// stop. The result is the database at the moment of the stop, whatever was written meanwhile.
import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

export async function backUp(url: string, dataDirectory: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('drill', true)`);
    await copy(dataDirectory, folder);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await copy(path.join(dataDirectory, 'pg_wal'), path.join(folder, 'pg_wal'));
    const label = path.join(folder, 'backup_label');
    writeFileSync(label, rows[0]?.labelfile ?? '');
    // The server may run as another user.
    const { uid, gid } = statSync(dataDirectory);
    chownSync(label, uid, gid);
    rmSync(path.join(folder, 'postmaster.pid'), { force: true });
  } finally {
    await client.end();
  }
}

/** Keeps owners and modes. PostgreSQL allows files to vanish during the copy; they do not matter. */
export async function copy(from: string, to: string): Promise<void> {
  mkdirSync(path.dirname(to), { recursive: true });
  rmSync(to, { recursive: true, force: true });
  await run('cp', ['-a', from, to]).catch((problem: unknown) => {
    if (!/No such file/.test((problem as { stderr?: string }).stderr ?? '')) throw problem;
  });
}
