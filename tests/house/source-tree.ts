// The repository as its rules see it: every file that is committed or about to be.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Path → text, so that a test can plant a file without writing it. */
export type SourceTree = ReadonlyMap<string, string>;

/** To plant in where a rule looks at one file at a time: a planted case need not parse the whole repository. */
export const NOTHING: SourceTree = new Map();

const BINARY = /\.(?:png|jpg|gif|ico|woff2|wasm|so|tgz|gz)$/;

export function committedFiles(): SourceTree {
  const listing = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = listing.split('\0').filter((path) => path !== '' && !BINARY.test(path) && existsSync(path));
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

export function codeOf(tree: SourceTree): SourceTree {
  return new Map([...tree].filter(([path]) => /\.[cm]?tsx?$/.test(path) && !path.includes('/generated/')));
}

export function planted(tree: SourceTree, files: Readonly<Record<string, string>>): SourceTree {
  return new Map([...tree, ...Object.entries(files)]);
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('tests/') || path.includes('/testing/');
}
