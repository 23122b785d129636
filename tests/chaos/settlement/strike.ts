// One stroke: a fault, or two at once where they meet different parts. Counted is only what had something to strike at.
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../harness/clock.ts';
import type { Dice } from '../harness/dice.ts';
import { countInFlight } from '../harness/open-work.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { FAULTS, type Fault } from './fault-kinds.ts';
import type { Traffic } from './traffic.ts';
import type { SettlementWorld } from './world.ts';

export type StruckFault = {
  readonly kind: string;
  readonly inFlight: number;
  /** What it is known to have hit: payments held at a point, answers bent, processes; 0 when it missed. */
  readonly hit: number;
  readonly fromMs: number;
  readonly untilMs: number;
};

const GATHER_MS = 8_000;
const A_FEW = 10;
/** One payment in five is given back by a transfer that the merchant reports: of four, one at least is a refund of the service. */
const GIVEN_BACK = 4;
/** One transaction ends some dozens of payments at once: twice as many as are wanted stay in flight. */
const KEPT_OF_WANTED = 2;
const APART_MS = 400;
const PAIRED = 0.35;

/** Neighbours of the plan strike together now and then. */
export function planStrokes(kinds: readonly string[], dice: Dice): readonly (readonly string[])[] {
  const strokes: string[][] = [];
  for (const kind of kinds) {
    const last = strokes.at(-1);
    const apart = last?.length === 1 && FAULTS.get(last[0] ?? '')?.target !== FAULTS.get(kind)?.target;
    if (last !== undefined && apart && dice.roll() < PAIRED) last.push(kind);
    else strokes.push([kind]);
  }
  return strokes;
}

export type StrikePlan = {
  /** Payments in flight that are waited for. */
  readonly wanted: number;
  readonly traffic: Omit<Traffic, 'refunding' | 'askAgain'>;
  readonly faults?: ReadonlyMap<string, Fault>;
};

export async function strike(
  world: SettlementWorld,
  dice: Dice,
  stroke: readonly string[],
  { wanted, traffic, faults = FAULTS }: StrikePlan,
): Promise<readonly StruckFault[]> {
  const meanwhile = {
    more: () => traffic.release(Math.min(A_FEW, wanted)),
    giveBack: () => traffic.giveBackNext(GIVEN_BACK),
    refill: async () => {
      const kept = wanted * KEPT_OF_WANTED;
      const missing = kept - (await countInFlight(world));
      const open = traffic.released() - traffic.ended();
      if (missing > 0 && open < kept * 2) traffic.release(Math.min(missing, wanted));
    },
  };
  return Promise.all(
    stroke.map(async (kind, index) => {
      const fault = faults.get(kind);
      if (fault === undefined) throw new Error(`no fault is called ${kind}`);
      const known = { inFlight: 0, fromMs: 0 };
      const ready = async (patienceMs = GATHER_MS) => {
        await waitUntil(
          async () => {
            known.inFlight = await countInFlight(world);
            return known.inFlight >= wanted;
          },
          patienceMs,
          20,
        );
        if (index > 0) await sleep(dice.roll() * APART_MS);
        known.fromMs = nowMs();
      };
      const beganMs = nowMs();
      const hit = await fault.strike(world, dice, { ready, ...meanwhile });
      return { kind, hit, inFlight: known.inFlight, fromMs: known.fromMs || beganMs, untilMs: nowMs() };
    }),
  );
}
