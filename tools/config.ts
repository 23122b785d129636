// What the tools take from the environment.
import path from 'node:path';

/** Environment of a command that a tool starts: the repository's own programs first, no colours in logs. */
export function environmentOfChild(): NodeJS.ProcessEnv {
  const programs = path.resolve('node_modules/.bin');
  return { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}`, FORCE_COLOR: '0', NO_COLOR: '1' };
}

/** Set by .ci/run and by hosts that run it. */
export const inContinuousIntegration = (): boolean => (process.env['CI'] ?? '') !== '';
