import { drawFreshIds, type Inside, runInside } from '../runtime/take-runtime.ts';
import type { Simulation } from './simulation.ts';

/** Runs `action` in the time of the simulation, with ids of its chances. */
export function runAlone<Result>(
  { timeline, dice }: Simulation,
  action: (context: Inside) => Promise<Result>,
): Promise<Result> {
  const context: Inside = {
    after: timeline.after,
    nowMs: timeline.nowMs,
    fillRandom: (bytes) => {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(dice.roll() * 256);
    },
  };
  return runInside(context, async () => {
    drawFreshIds();
    return action(context);
  });
}
