// A process that is started again whenever it dies, with nothing of what it knew.
import { createMortalProcess, type MortalProcess } from '../runtime/mortal-process.ts';
import { type Inside, runInside } from '../runtime/take-runtime.ts';
import { type Ask, createAsk } from './ask.ts';
import type { FakeEngine, Host } from './fake-engine.ts';
import type { Simulation } from './simulation.ts';

export type Role = {
  readonly freezeMs: () => number;
  /** Puts the product together anew. */
  readonly work: (process: MortalProcess, ask: Ask) => Pick<Host, 'drains' | 'jobs'>;
};

/** `dead` gets the names of lives that ended. */
export function keepRunning(
  simulation: Simulation,
  context: Inside,
  engine: FakeEngine,
  name: string,
  dead: Set<string>,
  { freezeMs, work }: Role,
): { readonly stop: () => void } {
  const { timeline, dice, note, strikes, isStorm } = simulation;
  let life = 0;
  let stopped = false;
  let current: MortalProcess | undefined;
  const start = () => {
    if (stopped) return;
    life += 1;
    const process = createMortalProcess(`${name}.${life}`, () => {
      note(process.name, 'is gone');
      dead.add(process.name);
      engine.detach(host);
      timeline.after(100 + dice.roll() * 2_400, start);
    });
    current = process;
    const inside: Inside = {
      ...context,
      after: (delayMs, action) => timeline.after(delayMs, () => process.deliver(action)),
    };
    const run: Host['run'] = (action) => runInside(inside, action);
    const host: Host = {
      name: process.name,
      run,
      ...runInside(inside, () => work(process, createAsk(simulation, process, freezeMs))),
    };
    engine.attach(host);
    // Also while it waits for nothing but time.
    const mayDie = () => {
      if (!process.isAlive()) return;
      if (strikes('crash', 0.02)) process.kill();
      else if (isStorm()) timeline.after(1_000, mayDie);
    };
    timeline.after(dice.roll() * 1_000, mayDie);
  };
  start();
  return {
    stop: () => {
      stopped = true;
      current?.kill();
    },
  };
}
