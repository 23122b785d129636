// A checkout of one commit that nobody has worked in, installed from its lock. A release is built in it: what somebody or
// something changed in the node_modules or in an ignored file of the working tree does not reach a published file.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { releaseEnvironment } from './config.ts';
import type { Lock } from './image/installed-packages.ts';
import { runTool } from './run-tool.ts';

type Checkout =
  | { readonly ok: true; readonly folder: string; readonly env: NodeJS.ProcessEnv; readonly remove: () => void }
  | { readonly ok: false; readonly problems: readonly string[] };

/** npm compares every tarball with the hash in the lock. A lock that misses a hash, or that npm changes, is refused. */
export function cleanCheckout(root: string, commit: string): Checkout {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-release-')));
  const env = environmentIn(folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const steps: (() => readonly string[])[] = [
    () => run(root, 'git', ['clone', '--quiet', '--no-checkout', root, folder]),
    () => run(folder, 'git', ['checkout', '--quiet', '--detach', commit]),
    () => unpinned(JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as Lock),
    () => run(folder, 'npm', ['install', '--ignore-scripts', '--prefer-offline', '--loglevel=error']),
    () => changedFiles(folder),
  ];
  const run = (cwd: string, program: string, argv: readonly string[]) => {
    const ran = runTool(cwd, program, argv, env);
    return ran.ok ? [] : [ran.problem];
  };
  for (const step of steps) {
    const problems = step();
    if (problems.length === 0) continue;
    remove();
    return { ok: false, problems };
  }
  return { ok: true, folder, env, remove };
}

/**
 * The programs of the checkout come first on PATH, and nothing that `npm run` or Node keeps of the working tree stays. The
 * certificates stay: without them npm waits for a registry behind an authority of the machine's owner.
 */
function environmentIn(folder: string): NodeJS.ProcessEnv {
  const given = releaseEnvironment();
  const kept = Object.entries(given).filter(
    ([name]) => !/^(?:npm_(?!config_(?:cache|registry|userconfig)$).*|NODE_(?!EXTRA_CA_CERTS$).*|INIT_CWD)$/.test(name),
  );
  const programs = (given['PATH'] ?? '').split(path.delimiter).filter((place) => !place.includes('node_modules'));
  const first = [path.join(folder, 'node_modules/.bin'), path.dirname(process.execPath)];
  return { ...Object.fromEntries(kept), PATH: [...first, ...programs].join(path.delimiter) };
}

function unpinned(lock: Lock): string[] {
  return Object.entries(lock.packages)
    .filter(([location, { link }]) => location.includes('node_modules/') && link !== true)
    .filter(([, { integrity, inBundle }]) => inBundle !== true && integrity?.startsWith('sha512-') !== true)
    .map(([location]) => `package-lock.json has no sha512 for ${location}`);
}

function changedFiles(folder: string): string[] {
  const changed = runTool(folder, 'git', ['status', '--porcelain']);
  if (!changed.ok) return [changed.problem];
  const files = changed.output.split('\n').filter((line) => line !== '');
  return files.map((line) => `npm install changes a file of the commit: ${line.trim()}; run it, and commit the result`);
}
