import { type LaneParts, laneRound } from '@svc-pay/core';
import { Crash, crashingParts } from './crashing-parts.ts';
import type { LaneWorld } from './lane-world.ts';

/** The same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type CrashOptions = {
  readonly maxLives?: number;
  /** Of calls that are the process's last; a quarter unless told. */
  readonly share?: number;
  /** After every round that was survived. */
  readonly between?: () => void;
};

/** A process after the other works at the lane and dies, until one finds nothing left to do. Answers how many it took. */
export async function workThroughCrashes(
  lane: LaneWorld,
  parts: LaneParts,
  seed: number,
  { maxLives = 400, share = 0.25, between = () => {} }: CrashOptions = {},
): Promise<number> {
  const draw = numbersFrom(seed);
  const mortal = crashingParts(parts, share, draw);
  for (let life = 1; life <= maxLives; life += 1) {
    try {
      const held = { ...lane.lane, epoch: await mortal.store.takeOver(lane.lane) };
      for (;;) {
        const end = await laneRound(mortal, held);
        if (draw() < 0.5) lane.chain.mine();
        between();
        if (end === 'taken_over') throw new Crash('taken over');
        if (end === 'empty' && (await mortal.store.fallAsleep(held))) return life;
      }
    } catch (problem) {
      if (!(problem instanceof Crash)) throw problem;
    }
  }
  return maxLives;
}
