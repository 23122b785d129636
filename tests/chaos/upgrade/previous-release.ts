// An older commit, as an operator would still be running it: its files in a folder of their own, with the
// packages that npm installed, and with its own workspaces in place of ours.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withOwnVersion } from '../../../tools/release/write-version.ts';
import { type LandedMigration, landedMigrations } from '../../house/landed-migrations.ts';

const MIGRATIONS = 'packages/postgres/migrations';
const ROOT = path.resolve(import.meta.dirname, '../../..');
const SCOPE = '@svc-pay';
const INSTALL_FLAGS = ['--prefer-offline', '--ignore-scripts', '--no-progress', '--no-audit', '--no-fund'];
/** What a service and its packages need; an older commit may lack some of it. */
const ARCHIVED = ['package.json', 'package-lock.json', 'packages', 'services', 'sdk', 'cli', 'contracts'];

export type PreviousRelease = {
  readonly commit: string;
  readonly mainOf: (program: string) => readonly string[];
  readonly remove: () => void;
};

const git = (...argv: string[]) => execFileSync('git', ['-C', ROOT, ...argv], { maxBuffer: 1 << 30 });

/** Throws when there is no commit before this one, as in a shallow clone: then nothing can be proven. */
export const previousCommit = () => git('rev-parse', '--verify', 'HEAD^1').toString().trim();

export type NewestRelease =
  | { readonly ok: true; readonly tag: string; readonly commit: string }
  /** Why there is nothing to upgrade from. */
  | { readonly ok: false; readonly why: string };

/** The newest tag `v*` before this commit. Asks this clone alone: a tag that was not fetched does not exist. */
export function newestRelease(): NewestRelease {
  if (git('rev-parse', '--is-shallow-repository').toString().trim() === 'true')
    return { ok: false, why: 'this clone has a part of the history; run git fetch --unshallow --tags' };
  const [tag] = git('tag', '--merged', 'HEAD^1', '--list', 'v[0-9]*', '--sort=-version:refname').toString().split('\n');
  if (tag === undefined || tag === '')
    return { ok: false, why: 'no tag v* before this commit: nothing is released, or run git fetch --tags' };
  return { ok: true, tag, commit: git('rev-parse', `${tag}^{commit}`).toString().trim() };
}

/** The migrations of an older commit, and those of this tree. */
export function migrationsSince(commit: string): Readonly<Record<'before' | 'after', readonly LandedMigration[]>> {
  const names = git('ls-tree', '--name-only', `${commit}:${MIGRATIONS}`).toString().trim().split('\n');
  const own = path.join(ROOT, MIGRATIONS);
  return {
    before: landedMigrations(new Map(names.map((name) => [name, git('show', `${commit}:${MIGRATIONS}/${name}`)]))),
    after: landedMigrations(new Map(readdirSync(own).map((name) => [name, readFileSync(path.join(own, name))]))),
  };
}

export function unpackRelease(commit: string): PreviousRelease {
  const there = git('ls-tree', '--name-only', commit).toString().split('\n');
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-previous-')));
  execFileSync('tar', ['-x', '-C', folder], {
    input: git('archive', commit, '--', ...ARCHIVED.filter((name) => there.includes(name))),
  });
  if (packagesOfOthers(commit) === packagesOfOthers('HEAD')) linkPackages(folder);
  // npm's cache first: only a package that this machine never installed needs the network.
  else execFileSync('npm', ['install', ...INSTALL_FLAGS], { cwd: folder, stdio: 'ignore' });
  assertOwnWorkspaces(folder);
  return {
    commit,
    mainOf: (program) => [mainIn(folder, program)],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The lock without our own versions, which every release changes. */
const packagesOfOthers = (commit: string) => withOwnVersion(git('show', `${commit}:package-lock.json`).toString(), '0');

/** A commit from before `cli` was a folder has the command in services/operator. */
function mainIn(folder: string, program: string): string {
  const main = path.join(folder, program === 'cli' ? 'cli' : `services/${program}`, 'src/main.ts');
  return existsSync(main) ? main : path.join(folder, 'services/operator/src/main.ts');
}

function linkPackages(folder: string): void {
  const installed = path.join(ROOT, 'node_modules');
  const own = path.join(folder, 'node_modules');
  mkdirSync(path.join(own, SCOPE), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== SCOPE) symlinkSync(path.join(installed, name), path.join(own, name));
  }
  for (const name of readdirSync(path.join(installed, SCOPE))) {
    const workspace = path.relative(ROOT, realpathSync(path.join(installed, SCOPE, name)));
    if (!existsSync(path.join(folder, workspace))) continue;
    symlinkSync(path.join(folder, workspace), path.join(own, SCOPE, name));
    const nested = path.join(ROOT, workspace, 'node_modules');
    if (existsSync(nested) && lstatSync(nested).isDirectory())
      symlinkSync(nested, path.join(folder, workspace, 'node_modules'));
  }
}

/** A process of the old release that ran our packages would prove nothing. */
function assertOwnWorkspaces(folder: string): void {
  const names = readdirSync(path.join(folder, 'node_modules', SCOPE));
  const asked = ['core', 'postgres', 'protocol', 'money', 'engine', 'evm'].filter((name) => names.includes(name));
  for (const service of ['api', 'settlement', 'webhooks']) {
    const program = `for (const name of ${JSON.stringify(asked)}) console.log(import.meta.resolve('${SCOPE}/' + name))`;
    const from = path.join(folder, 'services', service);
    const answer = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: from }).toString();
    const strangers = answer
      .trim()
      .split('\n')
      .filter((url) => !realpathSync(new URL(url)).startsWith(`${folder}${path.sep}`));
    if (asked.length < 6 || strangers.length > 0)
      throw new Error(`the previous release would run packages of this one: ${strangers.join(', ')}`);
  }
}
