// One stroke: a fault, or two at once where they meet different parts. Counted is only what had something to strike at.
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../harness/clock.ts';
import type { Dice } from '../harness/dice.ts';
import { countInFlight } from '../harness/open-work.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { FAULTS, type Fault } from './fault-kinds.ts';
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
  readonly more: () => void;
  readonly faults?: ReadonlyMap<string, Fault>;
};

export async function strike(
  world: SettlementWorld,
  dice: Dice,
  stroke: readonly string[],
  { wanted, more, faults = FAULTS }: StrikePlan,
): Promise<readonly StruckFault[]> {
  return Promise.all(
    stroke.map(async (kind, index) => {
      const fault = faults.get(kind);
      if (fault === undefined) throw new Error(`no fault is called ${kind}`);
      const known = { inFlight: 0, fromMs: 0 };
      const ready = async () => {
        await waitUntil(
          async () => {
            known.inFlight = await countInFlight(world);
            return known.inFlight >= wanted;
          },
          GATHER_MS,
          20,
        );
        if (index > 0) await sleep(dice.roll() * APART_MS);
        known.fromMs = nowMs();
      };
      const beganMs = nowMs();
      const hit = await fault.strike(world, dice, { ready, more });
      return { kind, hit, inFlight: known.inFlight, fromMs: known.fromMs || beganMs, untilMs: nowMs() };
    }),
  );
}
