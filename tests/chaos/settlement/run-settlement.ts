// Payments while everything around them breaks, then quiet, then a checker that trusts nobody.

import type { Progress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import type { PaymentsVerdict } from '../checker/check-payments.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice } from '../harness/dice.ts';
import type { History } from '../harness/history.ts';
import { hasCompletedSince } from '../harness/open-work.ts';
import { planFaults } from '../harness/plan-faults.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { inWorld } from '../harness/world-folder.ts';
import { conclude } from './conclude.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import type { SettlementBug } from './service-programs.ts';
import { planStrokes, type StruckFault, strike } from './strike.ts';
import { openTraffic, type Traffic } from './traffic.ts';
import { type SettlementWorld, startSettlementWorld } from './world.ts';

export type SettlementPlan = {
  readonly payments: number;
  readonly faults: number;
  readonly seed: number;
  readonly kinds?: readonly string[];
  readonly bug?: SettlementBug;
  /** For what is left to end once everything is well again. */
  readonly patienceMs?: number;
};

type CountedFault = StruckFault & { readonly recoveryMs: number };

export type SettlementResult = PaymentsVerdict & {
  readonly payments: number;
  readonly struck: readonly CountedFault[];
  /** Faults that found nothing to strike at, and were tried again. */
  readonly missed: number;
  readonly overlappingPairs: number;
  readonly inFlightP50: number;
  readonly seconds: number;
};

const RECOVERY_MS = 60_000;
const MOST_WANTED = 50;
const WANTED_SHARE = 0.5;
const MOST_RETRIES = 2;
const SHARES_OPEN = 2;
const NODE_SALT = 0x5eed;

export async function runSettlementChaos(plan: SettlementPlan, progress: Progress): Promise<SettlementResult> {
  const { seed, bug } = plan;
  const starting = startSettlementWorld({ seed, dice: createDice(seed ^ NODE_SALT), bug });
  return inWorld(starting, { progress, keepEvidence: bug === undefined }, async (world) => {
    const { history } = world;
    const traffic = await openTraffic(world, history, seed, { refunds: true });
    const struck = await breakThings(plan, { world, traffic, history, progress });
    const found = await conclude(world, traffic, progress, plan.patienceMs);
    const counted = struck.filter(hasStruck);
    return {
      ...found,
      payments: traffic.released(),
      struck: counted,
      missed: struck.length - counted.length,
      overlappingPairs: countOverlaps(counted),
      inFlightP50: median(counted.map(({ inFlight }) => inFlight)),
    };
  });
}

type Run = {
  readonly world: SettlementWorld;
  readonly traffic: Traffic;
  readonly history: History;
  readonly progress: Progress;
};

/** Each fault has its share of the payments, and strikes in the middle of it. One that missed, or met few, is tried again. */
async function breakThings(plan: SettlementPlan, { world, traffic, history, progress }: Run): Promise<CountedFault[]> {
  const dice = createDice(plan.seed);
  const share = Math.ceil(plan.payments / plan.faults);
  const wanted = Math.min(MOST_WANTED, Math.ceil(share * WANTED_SHARE));
  // Who waits for others who wait proves nothing, and loses patience on a slow machine.
  const mostOpen = share * SHARES_OPEN;
  const strokes = [...planStrokes(planFaults(plan.kinds ?? FAULT_KINDS, plan.faults, dice), dice)];
  const struck: CountedFault[] = [];
  const retries = new Map<string, number>();
  for (let stroke = strokes.shift(); stroke !== undefined; stroke = strokes.shift()) {
    await waitUntil(() => Promise.resolve(traffic.released() - traffic.ended() < mostOpen), RECOVERY_MS, 50);
    traffic.release(share * stroke.length);
    const faults = await strike(world, dice, stroke, { wanted, traffic });
    const endMs = nowMs();
    const recovered = await waitUntil(() => hasCompletedSince(world, endMs), RECOVERY_MS, 50);
    const recoveryMs = nowMs() - endMs;
    for (const fault of faults) {
      struck.push({ ...fault, recoveryMs });
      history.note('fault', { ...fault, recovered, recoveryMs });
      const { kind, inFlight, hit } = fault;
      progress.print(
        `fault ${struck.length}: ${kind}${stroke.length > 1 ? ' (paired)' : ''}; ${inFlight} payments in flight; ` +
          `hit ${hit}; going on after ${recoveryMs} ms${recovered ? '' : ', not yet'}`,
      );
      const tried = retries.get(kind) ?? 0;
      if ((!hasStruck(fault) || inFlight < wanted) && tried < MOST_RETRIES) {
        retries.set(kind, tried + 1);
        strokes.push([kind]);
      }
    }
    progress.show(traffic.ended(), `of ${traffic.released()} payments ended, ${struck.length}/${plan.faults} faults`);
  }
  return struck;
}

/** What found nothing, or nothing in flight, proves nothing. */
const hasStruck = ({ hit, inFlight }: StruckFault): boolean => hit > 0 && inFlight > 0;

function countOverlaps(struck: readonly StruckFault[]): number {
  return struck.reduce((count, one, index) => {
    const later = struck.slice(index + 1).filter(({ fromMs, untilMs }) => fromMs < one.untilMs && untilMs > one.fromMs);
    return count + later.length;
  }, 0);
}
