// A fake of the engine: it says whose turn it is, one at a time per key, tries again what failed or died, and sends itself
// on. Like the real one it is no fence: after a restart an old attempt runs on beside the new one, and it may forget all.
import type { PeriodicJob } from '@svc-pay/core';
import type { Drain, Next } from '@svc-pay/engine';
import type { Simulation } from './simulation.ts';

/** A process that works for it. */
export type Host = {
  readonly name: string;
  /** In the process's own context. */
  readonly run: <Result>(action: () => Promise<Result>) => Promise<Result>;
  readonly drains: readonly Drain[];
  readonly jobs: readonly PeriodicJob[];
};

export type FakeEngine = {
  readonly wake: (drain: string, key: string) => void;
  readonly attach: (host: Host) => void;
  /** Its process is gone; what it was at is tried again by the next one. */
  readonly detach: (host: Host) => void;
  readonly restart: () => void;
  readonly forget: () => void;
};

type Attempt = { readonly over: AbortController };
type Turn = { readonly drain: string; readonly key: string; waiting: number; running: Attempt | undefined };

const MAX_STEPS = 30;
const RETRY_MS = 400;

export function createFakeEngine({ timeline, dice, note }: Simulation, name: string): FakeEngine {
  const turns = new Map<string, Turn>();
  const hosts: Host[] = [];
  const hostOf = (drain: string) => hosts.find(({ drains }) => drains.some((own) => own.name === drain));

  const pump = (turn: Turn): void => {
    const host = hostOf(turn.drain);
    const drain = host?.drains.find((own) => own.name === turn.drain);
    if (host === undefined || drain === undefined || turn.running !== undefined || turn.waiting === 0) return;
    turn.waiting = 0;
    const attempt: Attempt = { over: new AbortController() };
    turn.running = attempt;
    const again = (delayMs: number) => {
      if (turn.running !== attempt) return;
      turn.running = undefined;
      turn.waiting = 1;
      timeline.after(delayMs, () => pump(turn));
    };
    const work = async () => {
      try {
        const next = await host.run(() => drainOnce(drain, turn.key, attempt.over.signal));
        if (next !== 'idle') return again(next === 'now' ? 0 : next.afterMs);
        if (turn.running === attempt) turn.running = undefined;
        pump(turn);
      } catch (problem) {
        note(host.name, `${turn.drain} fails: ${wordsOf(problem)}`);
        again(RETRY_MS);
      }
    };
    void work();
  };
  const letGo = (turn: Turn) => {
    if (turn.running === undefined) return;
    const { over } = turn.running;
    timeline.after(dice.roll() * 2_000, () => over.abort());
    turn.running = undefined;
    turn.waiting = 1;
  };
  const run = async (host: Host, job: PeriodicJob): Promise<void> => {
    if (!hosts.includes(host)) return;
    try {
      await host.run(job.run);
    } catch (problem) {
      note(host.name, `${job.name} fails: ${wordsOf(problem)}`);
    }
    timeline.after(job.everyMs, () => void run(host, job));
  };
  return {
    wake: (drain, key) => {
      const place = `${drain} ${key}`;
      const turn = turns.get(place) ?? { drain, key, waiting: 0, running: undefined };
      turns.set(place, turn);
      turn.waiting = 1;
      timeline.after(1 + dice.roll() * 5, () => pump(turn));
    },
    attach: (host) => {
      hosts.push(host);
      for (const job of host.jobs) timeline.after(dice.roll() * job.everyMs, () => void run(host, job));
      for (const turn of turns.values()) pump(turn);
    },
    detach: (host) => {
      hosts.splice(hosts.indexOf(host), 1);
      for (const turn of turns.values()) if (host.drains.some((own) => own.name === turn.drain)) letGo(turn);
    },
    restart: () => {
      note(name, 'is restarted');
      for (const turn of turns.values()) {
        letGo(turn);
        pump(turn);
      }
    },
    forget: () => {
      note(name, 'forgets everything');
      for (const turn of turns.values()) Object.assign(turn, { waiting: 0, running: undefined });
      turns.clear();
    },
  };
}

async function drainOnce(drain: Drain, key: string, over: AbortSignal): Promise<Next> {
  const fence = await drain.fence(key);
  let next: Next = 'now';
  for (let steps = 0; steps < MAX_STEPS && next === 'now'; steps += 1) next = await drain.step(key, fence, over);
  return next;
}

export const wordsOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
