// Runs a lane whose process dies at any call and is started again, until no work is left.
import { type LaneDeps, laneRound } from '@svc-pay/core';
import { Crash, crashingDeps } from '@svc-pay/postgres/testing';
import type { SolanaLaneWorld } from './lane-world.ts';

type Crashes = {
  readonly deps: LaneDeps;
  /** Part of the calls at which the process dies. */
  readonly share: number;
  readonly seed: number;
};

const MOST_LIVES = 300;

export async function settleThroughCrashes(
  { lane, chain }: Pick<SolanaLaneWorld, 'lane' | 'chain'>,
  { deps, share, seed }: Crashes,
): Promise<{ readonly resting: boolean; readonly lives: number }> {
  let state = seed;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const mortal = crashingDeps(deps, share, draw);
  let [lives, resting] = [0, false];
  while (!resting && lives < MOST_LIVES) {
    lives += 1;
    try {
      const lease = { ...lane, epoch: await mortal.store.takeOver(lane) };
      while (!resting) {
        const end = await laneRound(mortal, lease);
        if (draw() < 0.5) chain.ledger.advance(1n);
        resting = end === 'empty' && (await mortal.store.fallAsleep(lease));
      }
    } catch (problem) {
      if (!(problem instanceof Crash)) throw problem;
    }
  }
  return { resting, lives };
}
