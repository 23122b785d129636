// The console's page, which no commit holds: built from the sources of the commit with the packages that its lock pins. A release is
// built in a clean checkout that was installed from the lock, so what goes in follows from the commit.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type BuiltPage =
  | { readonly ok: true; readonly files: ReadonlyMap<string, Buffer> }
  | { readonly ok: false; readonly problem: string };

const BUILDER = 'services/console/build/main.ts';
const FOLDER = 'services/console/assets/generated';
/** What the page is made of, at most. */
const SOURCES = ['package-lock.json', 'services/console', 'packages', 'sdk/browser'];

/** Files by their path from the root. Refused where the page's sources in `root` are not those of the commit. */
export function builtConsolePage(root: string, commit: string): BuiltPage {
  const changed = execFileSync('git', ['diff', '--name-only', commit, '--', ...SOURCES], {
    cwd: root,
    encoding: 'utf8',
  });
  const [first] = changed.split('\n').filter((name) => name !== '');
  if (first !== undefined)
    return { ok: false, problem: `the console's page would not be of the commit: ${first} differs` };
  execFileSync(process.execPath, [BUILDER], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const names = readdirSync(path.join(root, FOLDER), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(path.join(root, FOLDER), path.join(parentPath, name)))
    // The stamp and the manifest are for the build.
    .filter((name) => !name.startsWith('.'));
  return {
    ok: true,
    files: new Map(names.toSorted().map((name) => [`${FOLDER}/${name}`, readFileSync(path.join(root, FOLDER, name))])),
  };
}
