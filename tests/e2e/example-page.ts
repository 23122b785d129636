// Runs an example by the commands of its page: one that serves, others that call it, and their expected output.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';

const ROOT = path.resolve(import.meta.dirname, '../..');

export type Environment = Readonly<Record<string, string>>;

/** Code blocks of one language, in order. */
export function blocksOf(page: string, language: 'sh' | 'js' | 'text'): readonly string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
}

/** Pattern of the output that a page shows; `…` stands for any text. */
export function promised(block: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(block.trim().split('…').map(literal).join('.*'));
}

export async function runCommands(commands: string, environment: Environment): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    cwd: ROOT,
    env: withPath(environment),
    timeout: 30_000,
  });
  return stdout;
}

/** Resolves when the program prints that it listens. */
export async function serve(commands: string, environment: Environment): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    cwd: ROOT,
    env: withPath(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`can't be started: ${commands}`);
  child.once('exit', killOnParentExit(pid));
  let output = '';
  const listening = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('listening on ')) listening.resolve();
    });
  }
  child.once('exit', () => listening.reject(new Error(`${commands} ended: ${output}`)));
  await listening.promise;
  return async () => {
    const ended = once(child, 'exit');
    // Negative pid: kills the shell and its children.
    process.kill(-pid, 'SIGTERM');
    await ended;
  };
}

const withPath = (environment: Environment) => ({
  PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
  ...environment,
});
