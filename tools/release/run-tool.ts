// Runs npm or git for a release step and hands back what it printed; a failure is a value with the tool's own words.
import { spawnSync } from 'node:child_process';

type Ran = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly problem: string };

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export function runTool(cwd: string, program: string, argv: readonly string[], env?: NodeJS.ProcessEnv): Ran {
  const child = spawnSync(program, argv, { cwd, env, encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
  if (child.status === 0) return { ok: true, output: child.stdout };
  const words = child.error?.message ?? child.stderr.trim();
  return { ok: false, problem: `${program} ${argv.join(' ')}: ${words}` };
}

/** Nothing of a release needs the network, and nothing may run a package's own scripts. */
export const NPM_FLAGS = ['--offline', '--ignore-scripts', '--no-update-notifier', '--loglevel=error'] as const;
