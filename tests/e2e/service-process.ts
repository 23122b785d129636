// A service as it runs in production: a process of its own, told everything by its environment. It can be killed and
// started again under the same environment, as a supervisor would.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { guardAgainstOutliving } from '@svc-pay/operator/outlive-guard';

export type ServiceProcess = {
  /** Of the first start; with fixed ports also of the later ones. */
  readonly port: number;
  readonly output: () => string;
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  readonly start: () => Promise<void>;
};

const ROOT = path.resolve(import.meta.dirname, '../..');

/** What Node is called with: a service as it ships, or another program in its place. */
export const mainOf = (name: 'api' | 'settlement' | 'webhooks' | 'operator'): readonly string[] => [
  path.join(ROOT, 'services', name, 'src/main.ts'),
];

export async function startService(
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  let child: ChildProcess | undefined;
  let output = '';
  let port = 0;
  const start = async () => {
    const started = Promise.withResolvers<number>();
    const next = spawn(process.execPath, program, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (next.pid !== undefined) next.once('exit', guardAgainstOutliving(next.pid));
    let lines = '';
    const read = (chunk: Buffer) => {
      lines += chunk.toString();
      output += chunk.toString();
      const line = lines.split('\n').find((text) => text.includes('"msg":"listening"'));
      if (line !== undefined) started.resolve((JSON.parse(line) as { port: number }).port);
    };
    next.stdout.on('data', read);
    next.stderr.on('data', read);
    next.once('exit', () => started.reject(new Error(`${program.join(' ')} ended: ${lines}`)));
    port = await started.promise;
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
