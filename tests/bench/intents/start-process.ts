// A process of the bench, and the port it says it listens on.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type Listening = { readonly child: ChildProcess; readonly port: number; readonly stop: () => Promise<void> };

const START_TIMEOUT_MS = 30_000;

/** Resolves at the first line of output that is JSON with a `port`; everything else it writes is dropped. */
export async function startProcess(
  script: string,
  scriptArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
  nodeArguments: readonly string[] = [],
): Promise<Listening> {
  const child = spawn(process.execPath, [...nodeArguments, script, ...scriptArguments], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const listening = Promise.withResolvers<number>();
  let pending = '';
  const read = (chunk: string) => {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      const port = line.startsWith('{') ? (JSON.parse(line) as { port?: number }).port : undefined;
      if (port !== undefined) listening.resolve(port);
    }
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.once('exit', (code) => listening.reject(new Error(`${script} ended with ${code}`)));
  const timer = setTimeout(() => listening.reject(new Error(`${script} did not listen`)), START_TIMEOUT_MS);
  try {
    const port = await listening.promise;
    // From here on its log is only drained: reading it would be work of the bench, not of what it measures.
    child.stdout.off('data', read).resume();
    return { child, port, stop: () => stop(child) };
  } catch (problem) {
    await stop(child);
    throw problem;
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
