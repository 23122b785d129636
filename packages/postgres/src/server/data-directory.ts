// Creates a data directory and the password of its superuser. The password is as long as a key, so one hash iteration
// is as good as 4,096, and connecting stays cheap.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { canReach, identity, type ServerUser } from './server-user.ts';

/**
 * Makes `directory` a data directory unless it is one, and returns the password of its superuser `postgres`.
 * A crash leaves no incomplete directory under that name.
 */
export async function prepareDataDirectory(
  directory: string,
  binaries: Binaries,
  user: ServerUser | undefined,
  durable: boolean,
): Promise<string> {
  if (!existsSync(path.join(directory, 'PG_VERSION'))) await makeDataDirectory(directory, binaries, user, durable);
  return (await readFile(passwordFile(directory), 'utf8')).trim();
}

async function makeDataDirectory(
  directory: string,
  binaries: Binaries,
  user: ServerUser | undefined,
  durable: boolean,
): Promise<void> {
  const parent = path.dirname(directory);
  await mkdir(parent, { recursive: true });
  if (user !== undefined && !canReach(user, parent)) {
    throw new Error(
      `PostgreSQL runs as ${user.name}, who may not enter ${parent}: open the folders on the way or choose another place`,
    );
  }
  const staging = await mkdtemp(`${directory}.new-`);
  const pendingPassword = `${staging}.password`;
  try {
    await writeFile(pendingPassword, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    if (user !== undefined) {
      await chown(staging, user.uid, user.gid);
      await chown(pendingPassword, user.uid, user.gid);
    }
    await promisify(execFile)(
      binaries.initdb,
      [
        `--pgdata=${staging}`,
        '--username=postgres',
        `--pwfile=${pendingPassword}`,
        '--auth=scram-sha-256',
        '--set=scram_iterations=1',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ],
      { ...identity(user), env: { LC_ALL: 'C', TZ: 'UTC' } },
    );
    await rename(pendingPassword, passwordFile(staging));
    await rename(staging, directory).catch((problem: unknown) => {
      // Another process created the same directory first, which is as good as ours.
      if (!existsSync(path.join(directory, 'PG_VERSION'))) throw problem;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(pendingPassword, { force: true });
  }
}

const passwordFile = (directory: string) => path.join(directory, 'svc_password');
