// What goes to the registry, and how each package is built. Inside the repository its `exports` name TypeScript; what is
// published is JavaScript with everything of ours inside, so that it needs no other package.
import { readFileSync } from 'node:fs';
import path from 'node:path';

export type PackagePlan = {
  readonly folder: string;
  readonly builds: readonly Build[];
  /** A file with all entries in one, for a page without a bundler. */
  readonly wholeFile?: string;
  /** Entries that go into it; all unless told. */
  readonly wholeOf?: readonly string[];
  /** What the shop brings along itself. */
  readonly external?: readonly string[];
};

type Build = {
  readonly platform: 'browser' | 'node';
  /** Under `dist`. */
  readonly folder: string;
  /** Entries to build; all unless told. */
  readonly only?: readonly string[];
  /** In `exports`; `default` comes last. */
  readonly condition: 'node' | 'default';
};

export const PACKAGES: readonly PackagePlan[] = [
  {
    folder: 'sdk/browser',
    builds: [
      { platform: 'browser', folder: '.', condition: 'default', only: ['.', './evm', './solana', './icp'] },
      // The agent keeps its record in files.
      { platform: 'node', folder: 'node', condition: 'node', only: ['./agent'] },
    ],
    wholeFile: 'svc-pay.js',
    wholeOf: ['.', './evm', './solana'],
  },
  {
    folder: 'sdk/pay-button',
    builds: [
      // Where pages are made on a server, the element is imported and never shown.
      { platform: 'node', folder: 'node', condition: 'node' },
      { platform: 'browser', folder: '.', condition: 'default' },
    ],
    wholeFile: 'svc-pay-button.js',
    wholeOf: ['.'],
    external: ['react'],
  },
  {
    folder: 'sdk/server',
    builds: [
      { platform: 'node', folder: 'node', condition: 'node' },
      { platform: 'browser', folder: 'web', condition: 'default', only: ['.', './hono', './next'] },
    ],
  },
  {
    folder: 'sdk/x402',
    builds: [
      { platform: 'node', folder: 'node', condition: 'node' },
      { platform: 'browser', folder: 'web', condition: 'default', only: ['.', './hono', './next'] },
    ],
  },
];

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly sideEffects?: boolean;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
};

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

/** `.` is `index`, `./evm` is `evm`. */
export function entryName(entry: string): string {
  return entry === '.' ? 'index' : entry.slice('./'.length);
}
