// Runs a stock program as a process of its own: plain JavaScript with the published packages, as a stranger would write
// it. The test and the program talk in lines of JSON over stdio: each command has an id, and the program answers it with
// `{ id, ok: true, value }` or `{ id, ok: false, error }`. The program's first line says that it is ready.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { COMPILE_CACHE } from '../e2e/service-process.ts';

export type Peer = {
  /** What the program told with its first line, such as the port of a seller. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves to the program's answer; a problem there is thrown here, with its text. */
  readonly ask: <Answer>(command: string, given?: object) => Promise<Answer>;
  /** What the program wrote to stderr. */
  readonly problems: () => string;
  readonly stop: () => Promise<void>;
};

type Line = {
  readonly id?: number;
  readonly ok?: boolean;
  readonly value?: unknown;
  readonly error?: string;
  readonly ready?: Readonly<Record<string, unknown>>;
};

/** Starts `peers/<name>.mjs`; `settings` reach it as JSON in its first argument. */
export async function startPeer(name: string, settings: object = {}): Promise<Peer> {
  const program = path.join(import.meta.dirname, 'peers', `${name}.mjs`);
  // Nothing of our environment reaches the program.
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { env: COMPILE_CACHE, stdio: 'pipe' });
  if (child.pid !== undefined) child.once('exit', killOnParentExit(child.pid));
  let problems = '';
  child.stderr.on('data', (chunk: Buffer) => {
    problems += chunk.toString();
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = readLine(text);
    if (line?.ready !== undefined) ready.resolve(line.ready);
    if (line?.id === undefined) return;
    const asked = waiting.get(line.id);
    waiting.delete(line.id);
    if (line.ok === true) asked?.resolve(line.value);
    else asked?.reject(new Error(`${name}: ${line.error ?? 'no reason given'}`));
  });
  child.once('exit', (code) => {
    const ended = new Error(`${name} ended with ${code}: ${problems}`);
    ready.reject(ended);
    for (const { reject } of waiting.values()) reject(ended);
  });
  let lastId = 0;
  return {
    ready: await ready.promise,
    problems: () => problems,
    ask: <Answer>(command: string, given: object = {}) => {
      const id = ++lastId;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(id, asked);
      child.stdin.write(`${JSON.stringify({ ...given, id, command })}\n`);
      return asked.promise as Promise<Answer>;
    },
    stop: () => stop(child),
  };
}

/** A line that is no JSON is the program's own print. */
function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
