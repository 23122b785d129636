// What a production install brings, read from the lock: `npm install --omit=dev`, on every platform it pins.
import { readFileSync } from 'node:fs';
import path from 'node:path';

export type Dependency = {
  readonly name: string;
  readonly version: string;
  /** Folder from the repository root: `node_modules/zod`. */
  readonly location: string;
  /** May be absent from this machine: it is for another platform, or nobody asked for it. */
  readonly optional: boolean;
  /** As the lock says; the installed package.json, where there is one, is asked first. */
  readonly lockedLicence: string | undefined;
};

type LockEntry = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: unknown;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
};

/** Sorted by name and version; our own workspaces are not among them. */
export function productionDependencies(root: string): Dependency[] {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(
    readFileSync(path.join(root, 'package-lock.json'), 'utf8'),
  );
  const marker = 'node_modules/';
  const found = Object.entries(lock.packages)
    .filter(([location, entry]) => location.includes(marker) && entry.link !== true && entry.dev !== true)
    .map(([location, entry]) => ({
      name: entry.name ?? location.slice(location.lastIndexOf(marker) + marker.length),
      version: entry.version ?? '',
      location,
      optional: entry.optional === true || entry.devOptional === true,
      lockedLicence: typeof entry.license === 'string' ? entry.license : undefined,
    }));
  const key = (dependency: Dependency) => `${dependency.name}@${dependency.version}`;
  const byKey = new Map(found.map((dependency) => [key(dependency), dependency]));
  return [...byKey.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
