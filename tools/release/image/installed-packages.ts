// The packages of others that the image needs: what our files import and what those packages need in turn, at the places
// where the lock puts them.
import path from 'node:path';
import type { NpmTarball } from './inputs.ts';
import type { Trace } from './trace-sources.ts';

export type InstalledPackage = NpmTarball & {
  /** Folder from the root: `node_modules/zod`. */
  readonly location: string;
};

export type LockEntry = {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly license?: unknown;
  readonly link?: boolean;
  /** Of a link: the folder of the workspace. */
  readonly resolved?: string;
  /** Inside the tarball of the package above it, whose hash covers it. */
  readonly inBundle?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
};
export type Lock = { readonly packages: Readonly<Record<string, LockEntry>> };

/** Wanted by packages for their types alone. */
const TYPES_ONLY = new Set(['typescript']);

export function installedPackages(lock: Lock, imported: Trace['imported']): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const waiting = [...imported].flatMap(([folder, names]) => [...names].map((name) => ({ folder, name, must: true })));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const location = locate(lock, next.name, next.folder);
    const entry = location === undefined ? undefined : lock.packages[location];
    if (location === undefined || entry === undefined) {
      if (next.must) throw new Error(`${next.folder} needs ${next.name}, which the lock does not have`);
      continue;
    }
    if (found.has(location) || (!next.must && !runsOnLinux(entry))) continue;
    // npm marks what only development needs. A program that loads such a package would fail where it is not installed.
    if (entry.dev === true) throw new Error(`${next.folder} needs ${next.name}, which is a development dependency`);
    found.set(location, tarballOf(location, entry));
    waiting.push(...neededBy(location, entry));
  }
  return [...found.values()].sort((a, b) => (a.location < b.location ? -1 : 1));
}

export function neededBy(folder: string, entry: LockEntry): { folder: string; name: string; must: boolean }[] {
  const optional = Object.keys(entry.optionalDependencies ?? {});
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true && !TYPES_ONLY.has(name),
  );
  const must = [...Object.keys(entry.dependencies ?? {}), ...peers].filter((name) => !optional.includes(name));
  return [
    ...must.map((name) => ({ folder, name, must: true })),
    ...optional.map((name) => ({ folder, name, must: false })),
  ];
}

/** As Node looks for a package: in the folder's own node_modules, then in those above it. */
export function locate(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const location = path.posix.join(folder, 'node_modules', name);
    if (path.posix.basename(folder) !== 'node_modules' && lock.packages[location] !== undefined) return location;
    if (folder === '.') return undefined;
  }
}

function runsOnLinux({ os, cpu, libc }: LockEntry): boolean {
  const fits = (list: readonly string[] | undefined, own: string) => list === undefined || list.includes(own);
  return fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc');
}

/** The package at this place of the lock. A place that the lock does not have, or has without a hash, throws. */
export function lockedPackage(lock: Lock, location: string): InstalledPackage {
  const entry = lock.packages[location];
  if (entry === undefined) throw new Error(`${location} is not in the lock`);
  return tarballOf(location, entry);
}

function tarballOf(location: string, entry: LockEntry): InstalledPackage {
  const marker = 'node_modules/';
  const [, hash] = /^sha512-(\S+)$/.exec(entry.integrity ?? '') ?? [];
  if (hash === undefined || entry.version === undefined) throw new Error(`${location} has no sha512 in the lock`);
  return {
    name: entry.name ?? location.slice(location.lastIndexOf(marker) + marker.length),
    version: entry.version,
    sha512: Buffer.from(hash, 'base64').toString('hex'),
    location,
  };
}
