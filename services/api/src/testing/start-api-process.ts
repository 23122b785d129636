// Runs the API as a separate process, to test kills, stops by signal, and its complete output.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export type ApiProcess = {
  readonly url: string;
  readonly metricsUrl: string;
  readonly child: ChildProcess;
  /** Output so far, both streams. */
  readonly output: () => string;
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>;
};

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

export async function startApiProcess(environment: Readonly<Record<string, string>>): Promise<ApiProcess> {
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const started = Promise.withResolvers<{ port: number; metricsPort: number }>();
  const read = (chunk: Buffer) => {
    output += chunk.toString();
    const line = output.split('\n').find((text) => text.includes('"event":"service_listening"'));
    if (line !== undefined) started.resolve(JSON.parse(line));
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = once(child, 'exit');
  void ended.then(() => started.reject(new Error(`the process ended: ${output}`)));
  const kill: ApiProcess['kill'] = async (signal) => {
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL');
  });
  const { port, metricsPort } = await started.promise;
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    child,
    output: () => output,
    kill,
  };
}
