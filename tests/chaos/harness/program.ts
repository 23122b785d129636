// A program of this project as a process that a test can message, kill, freeze and restart with the same environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { COMPILE_CACHE, LISTENING } from '../../e2e/service-process.ts';

export type ProgramPlan = {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** File that receives all output. */
  readonly logFile: string;
};

export type Program = {
  /** Id of the current process. */
  readonly pid: () => number;
  /** Port from the latest `listening` line. */
  readonly port: () => number;
  /** Number of times it ended without being killed. */
  readonly deaths: () => number;
  readonly start: () => Promise<void>;
  /** Kills the process with SIGKILL, also when it is frozen. */
  readonly kill: () => Promise<void>;
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly tell: (message: Readonly<Record<string, unknown>>) => void;
  /** Returns the next message with this field. */
  readonly hear: <Value>(field: string, patienceMs: number) => Promise<Value | undefined>;
};

const START_TIMEOUT_MS = 90_000;

export function createProgram(plan: ProgramPlan): Program {
  let child: ChildProcess | undefined;
  let port = 0;
  let deaths = 0;
  let killing = false;
  const running = (): ChildProcess => {
    if (child?.connected !== true) throw new Error(`${plan.file} is not there; its last words are in ${plan.logFile}`);
    return child;
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    killing = true;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    pid: () => running().pid ?? 0,
    port: () => port,
    deaths: () => deaths,
    start: async () => {
      killing = false;
      const listening = Promise.withResolvers<number>();
      const next = spawn(process.execPath, [plan.file, ...plan.arguments], {
        env: { ...COMPILE_CACHE, ...plan.environment },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      if (next.pid !== undefined) next.once('exit', killOnParentExit(next.pid));
      let head = '';
      const read = (chunk: Buffer) => {
        appendFileSync(plan.logFile, chunk);
        if (port !== 0 && head === 'heard') return;
        head += chunk.toString();
        const line = head.split('\n').find((text) => text.startsWith('{') && LISTENING.test(text));
        if (line === undefined || !line.endsWith('}')) return;
        head = 'heard';
        listening.resolve((JSON.parse(line) as { port: number }).port);
      };
      next.stdout?.on('data', read);
      next.stderr?.on('data', read);
      next.once('exit', () => {
        if (!killing) deaths += 1;
      });
      next.once('exit', () => listening.reject(new Error(`${plan.file} ended at start: ${head}`)));
      child = next;
      const timer = setTimeout(() => listening.reject(new Error(`${plan.file} does not listen`)), START_TIMEOUT_MS);
      port = await listening.promise.finally(() => clearTimeout(timer));
    },
    kill,
    freeze: () => void running().kill('SIGSTOP'),
    thaw: () => void running().kill('SIGCONT'),
    tell: (message) => void running().send(message),
    hear: <Value>(field: string, patienceMs: number) =>
      new Promise<Value | undefined>((resolve) => {
        const from = running();
        const end = (value: Value | undefined) => {
          clearTimeout(timer);
          from.off('message', listen);
          resolve(value);
        };
        const listen = (message: unknown) => {
          if (typeof message === 'object' && message !== null && field in message) {
            end((message as Record<string, Value>)[field]);
          }
        };
        const timer = setTimeout(() => end(undefined), patienceMs);
        from.on('message', listen);
      }),
  };
}
