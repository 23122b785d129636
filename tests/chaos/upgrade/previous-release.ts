// The commit before this one, as an operator would still be running it: its files in a folder of their own, with the
// packages that npm installed, and with its own workspaces in place of ours.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SCOPE = '@svc-pay';

export type PreviousRelease = {
  readonly commit: string;
  readonly mainOf: (service: string) => readonly string[];
  readonly remove: () => void;
};

/** Throws when there is no commit before this one, as in a shallow clone: then nothing can be proven. */
export function unpackPreviousRelease(): PreviousRelease {
  const git = (...argv: string[]) => execFileSync('git', ['-C', ROOT, ...argv], { maxBuffer: 1 << 30 });
  const commit = git('rev-parse', '--verify', 'HEAD^1').toString().trim();
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-previous-')));
  execFileSync('tar', ['-x', '-C', folder], {
    input: git(
      'archive',
      commit,
      '--',
      'package.json',
      'package-lock.json',
      'packages',
      'services',
      'sdk',
      'contracts',
    ),
  });
  const sameLock = git('show', `${commit}:package-lock.json`).equals(git('show', 'HEAD:package-lock.json'));
  if (sameLock) linkPackages(folder);
  else execFileSync('npm', ['install', '--no-progress', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  assertOwnWorkspaces(folder);
  return {
    commit,
    mainOf: (service) => [path.join(folder, 'services', service, 'src/main.ts')],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
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
