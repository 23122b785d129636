import { createLaneRecorder, type LaneDeps, laneRound } from '@svc-pay/core';
import { Crash, crashingDeps } from './crashing-deps.ts';
import type { LaneWorld } from './lane-world.ts';

/** Pseudo-random numbers, the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type CrashOptions = {
  readonly maxLives?: number;
  /** Share of calls that crash. Default: a quarter. */
  readonly share?: number;
  /** Called after every round without a crash. */
  readonly between?: () => void;
  /** Records beside the rounds, as the service does. What a dead process had under way may still end beside the next one. */
  readonly beside?: boolean;
};

/**
 * Runs one process after the other on the lane until one of them finds nothing left to do. Returns how many it took.
 */
export async function workThroughCrashes(
  lane: LaneWorld,
  deps: LaneDeps,
  seed: number,
  { maxLives = 400, share = 0.25, between = () => {}, beside = false }: CrashOptions = {},
): Promise<number> {
  const draw = numbersFrom(seed);
  const mortal = crashingDeps(deps, share, draw);
  for (let life = 1; life <= maxLives; life += 1) {
    try {
      const lease = { ...lane.lane, epoch: await mortal.store.takeOver(lane.lane) };
      const recorder = beside ? createLaneRecorder(mortal, lease) : undefined;
      for (;;) {
        const end = await laneRound(mortal, lease, recorder);
        if (draw() < 0.5) lane.chain.mine();
        between();
        if (end === 'taken_over') throw new Crash('taken over');
        if (end === 'empty' && (await mortal.store.fallAsleep(lease))) return life;
      }
    } catch (problem) {
      if (!(problem instanceof Crash)) throw problem;
    }
  }
  return maxLives;
}
