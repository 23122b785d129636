// Runs a service as in production: a separate process, configured only by its environment. Tests can kill and restart
// it with the same environment, as a supervisor would.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';

export type ServiceProcess = {
  /** Port of the first start; with fixed ports also of later starts. */
  readonly port: number;
  readonly output: () => string;
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  /** Starts it again, with settings that differ from those of the first start. */
  readonly start: (changed?: Readonly<Record<string, string>>) => Promise<void>;
};

/** Line with the port: from a service, from a test program, or from a commit whose log lines had no event codes. */
export const LISTENING = /"event":"service_listening"|"msg":"listening"/;

/** A service loads in a second; a busy machine needs several times as long. */
const START_MS = 60_000;

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Compile cache of Node, shared between processes. With it a service loads in 0.5 s instead of 1.1 s; the tests start
 * some hundred. A killed process does not write the cache: see warm-compile-cache.ts.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: path.join(ROOT, '.cache/compile') };

/** Program that Node runs for a service. */
export const mainOf = (name: 'api' | 'settlement' | 'webhooks' | 'admin' | 'console' | 'cli'): readonly string[] => [
  path.join(ROOT, name === 'cli' ? 'cli' : `services/${name}`, 'src/main.ts'),
];

export async function startService(
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  let child: ChildProcess | undefined;
  let output = '';
  let port = 0;
  const start = async (changed: Readonly<Record<string, string>> = {}) => {
    const started = Promise.withResolvers<number>();
    const next = spawn(process.execPath, program, {
      env: { ...COMPILE_CACHE, ...environment, ...changed },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (next.pid !== undefined) next.once('exit', killOnParentExit(next.pid));
    let lines = '';
    const read = (chunk: Buffer) => {
      lines += chunk.toString();
      output += chunk.toString();
      const line = lines.split('\n').find((text) => LISTENING.test(text));
      if (line !== undefined) started.resolve((JSON.parse(line) as { port: number }).port);
    };
    next.stdout.on('data', read);
    next.stderr.on('data', read);
    next.once('exit', () => started.reject(new Error(`${program.join(' ')} ended: ${lines}`)));
    const late = setTimeout(() => {
      next.kill('SIGKILL');
      started.reject(new Error(`${program.join(' ')} does not listen after ${START_MS} ms: ${lines}`));
    }, START_MS);
    port = await started.promise.finally(() => clearTimeout(late));
    child = next;
  };
  await start();
  return {
    port,
    output: () => output,
    start,
    kill: async (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
