// Programs of Debian that tests run and nobody installs: a package of one version and digest, unpacked into
// .cache/debian. Where it comes from is the machine's own apt configuration.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

export type DebianPackage = {
  readonly name: string;
  readonly version: string;
  /** Digest of the package's file, by Debian's name of the architecture. */
  readonly sha256: Readonly<Partial<Record<string, string>>>;
};

export type Unpacked = { readonly ok: true; readonly folder: string } | { readonly ok: false; readonly why: string };

const ARCHITECTURES: Readonly<Partial<Record<string, string>>> = { x64: 'amd64', arm64: 'arm64' };
const HOME = path.resolve('.cache/debian');

/** The folder with the package's files, fetched at the first call. `why` says what a test that skips should print. */
export function unpackDebian(wanted: DebianPackage): Unpacked {
  const named = `${wanted.name} ${wanted.version}`;
  const folder = path.join(HOME, `${wanted.name}_${wanted.version}`);
  if (existsSync(folder)) return { ok: true, folder };
  const architecture = ARCHITECTURES[process.arch];
  const digest = architecture === undefined ? undefined : wanted.sha256[architecture];
  if (process.platform !== 'linux' || digest === undefined) {
    return { ok: false, why: `no digest of ${named} is known for ${process.platform} ${process.arch}` };
  }
  mkdirSync(HOME, { recursive: true });
  const staging = mkdtempSync(path.join(HOME, '.staging-'));
  try {
    const file = download(wanted, staging);
    if (file === undefined) return { ok: false, why: `apt-get of this machine has no ${named}` };
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (found !== digest) throw new Error(`${named} has sha256 ${found}, and ${digest} is pinned`);
    const files = path.join(staging, 'files');
    if (!runs('dpkg-deb', ['--extract', file, files], staging)) throw new Error(`${named} can't be unpacked`);
    moveOnce(files, folder);
    return { ok: true, folder };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The lists of the machine may be empty or old; lists of our own, from the same sources, need no rights. */
function download({ name, version }: DebianPackage, staging: string): string | undefined {
  const lists = path.join(HOME, 'lists');
  const own = ['-o', `Dir::State::lists=${lists}`, '-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='];
  const fetch = (options: readonly string[]) =>
    runs('apt-get', ['download', '-q', ...options, `${name}=${version}`], staging) ? debIn(staging) : undefined;
  const found = fetch([]);
  if (found !== undefined) return found;
  mkdirSync(path.join(lists, 'partial'), { recursive: true });
  runs('apt-get', ['update', '-q', '-o', 'Acquire::Languages=none', ...own], staging);
  return fetch(own);
}

function debIn(folder: string): string | undefined {
  const name = readdirSync(folder).find((each) => each.endsWith('.deb'));
  return name === undefined ? undefined : path.join(folder, name);
}

const runs = (program: string, argv: readonly string[], cwd: string): boolean =>
  spawnSync(program, argv, { cwd, stdio: 'ignore', timeout: 120_000 }).status === 0;

/** Two callers may race here: the loser finds the winner's folder and keeps it. */
function moveOnce(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
