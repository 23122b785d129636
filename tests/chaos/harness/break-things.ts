// Strikes with one fault after the other while payments are under way.
import type { Progress } from '../../progress.ts';
import { nowMs } from './clock.ts';
import { createDice } from './dice.ts';
import type { History } from './history.ts';
import { planFaults } from './plan-faults.ts';
import { waitUntil } from './wait-until.ts';

export type BreakPlan = {
  readonly payments: number;
  readonly faults: number;
  readonly seed: number;
  /** All, if absent. */
  readonly kinds?: readonly string[];
};

export type Moment = {
  /** Settles when enough payments are in flight. */
  readonly ready: () => Promise<void>;
  readonly more: () => void;
};

export type Struck = {
  readonly kind: string;
  readonly inFlight: number;
  /** What it is known to have hit. */
  readonly hit: number;
  readonly recoveryMs: number;
};

export type Breakable = {
  readonly kinds: readonly string[];
  /** Strikes. Returns what it is known to have hit; undefined: no fault has this name. */
  readonly strike: (kind: string, moment: Moment) => Promise<number> | undefined;
  readonly traffic: {
    readonly release: (payments: number) => void;
    readonly released: () => number;
    readonly ended: () => number;
  };
  readonly countInFlight: () => Promise<number>;
  readonly hasRecovered: (sinceMs: number) => Promise<boolean>;
  readonly history: History;
  readonly progress: Progress;
};

const RECOVERY_MS = 60_000;
const GATHER_MS = 8_000;
const MOST_WANTED = 50;
const A_FEW = 10;
const MOST_RETRIES = 2;
const SHARES_OPEN = 2;

/** Each fault has its share of the payments, and strikes in the middle of it. One that missed is tried again. */
export async function breakThings(plan: BreakPlan, world: Breakable): Promise<readonly Struck[]> {
  const { traffic, progress, history } = world;
  const share = Math.ceil(plan.payments / plan.faults);
  const wanted = Math.min(MOST_WANTED, Math.ceil(share / 2));
  const kinds = [...planFaults(plan.kinds ?? world.kinds, plan.faults, createDice(plan.seed))];
  const struck: Struck[] = [];
  const retries = new Map<string, number>();
  for (let kind = kinds.shift(); kind !== undefined; kind = kinds.shift()) {
    const open = () => traffic.released() - traffic.ended();
    await waitUntil(() => Promise.resolve(open() < share * SHARES_OPEN), RECOVERY_MS);
    traffic.release(share);
    let inFlight = 0;
    const ready = async () => {
      const enough = async () => {
        inFlight = await world.countInFlight();
        return inFlight >= wanted;
      };
      await waitUntil(enough, GATHER_MS, 20);
    };
    const fromMs = nowMs();
    const striking = world.strike(kind, { ready, more: () => traffic.release(Math.min(A_FEW, share)) });
    if (striking === undefined) throw new Error(`no fault is called ${kind}`);
    const hit = await striking;
    const untilMs = nowMs();
    const recovered = await waitUntil(() => world.hasRecovered(untilMs), RECOVERY_MS);
    const recoveryMs = nowMs() - untilMs;
    struck.push({ kind, inFlight, hit, recoveryMs });
    history.note('fault', { kind, inFlight, hit, fromMs, untilMs, recovered, recoveryMs });
    progress.print(
      `fault ${struck.length}: ${kind}; ${inFlight} in flight; hit ${hit}; going on after ${recoveryMs} ms${recovered ? '' : ', not yet'}`,
    );
    const tried = retries.get(kind) ?? 0;
    if ((hit === 0 || inFlight === 0) && tried < MOST_RETRIES) {
      retries.set(kind, tried + 1);
      kinds.push(kind);
    }
    progress.show(traffic.ended(), `of ${traffic.released()} payments ended, ${struck.length}/${plan.faults} faults`);
  }
  return struck;
}

/** Strikes that had something to strike at. */
export const hits = (struck: readonly Struck[]): readonly Struck[] =>
  struck.filter(({ hit, inFlight }) => hit > 0 && inFlight > 0);
