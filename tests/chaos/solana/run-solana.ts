// Solana payments while everything around them breaks, then quiet, then a checker that trusts nobody.
import type { Progress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import { checkSolana, type SolanaVerdict } from '../checker/solana/check-solana.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice } from '../harness/dice.ts';
import { countInFlight, findDeaths, findWaiting, hasCompletedSince, settleDown } from '../harness/open-work.ts';
import { planFaults } from '../harness/plan-faults.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { inWorld } from '../harness/world-folder.ts';
import type { SettlementBug } from '../settlement/service-programs.ts';
import { SOLANA_FAULT_KINDS, SOLANA_FAULTS } from './fault-kinds.ts';
import { openSolanaTraffic, type SolanaTraffic } from './traffic.ts';
import { type SolanaChaosWorld, startSolanaChaosWorld } from './world.ts';

export type SolanaPlan = {
  readonly payments: number;
  readonly faults: number;
  readonly seed: number;
  readonly kinds?: readonly string[];
  /** Put in on purpose: the checker must find it. */
  readonly bug?: SettlementBug;
  /** For what is left to end once everything is well again. */
  readonly patienceMs?: number;
};

type StruckSolana = {
  readonly kind: string;
  readonly inFlight: number;
  readonly hit: number;
  readonly recoveryMs: number;
};

export type SolanaResult = SolanaVerdict & {
  readonly payments: number;
  readonly struck: readonly StruckSolana[];
  readonly missed: number;
  readonly inFlightP50: number;
  readonly seconds: number;
};

const NODE_SALT = 0x5eed;
const RECOVERY_MS = 60_000;
const GATHER_MS = 8_000;
const QUIET_MS = 300_000;
const MOST_WANTED = 50;
const A_FEW = 10;
const MOST_RETRIES = 2;
const SHARES_OPEN = 2;

export async function runSolanaChaos(plan: SolanaPlan, progress: Progress): Promise<SolanaResult> {
  const { seed, bug } = plan;
  const starting = startSolanaChaosWorld(seed, createDice(seed ^ NODE_SALT), bug);
  return inWorld(starting, { progress, keepEvidence: bug === undefined }, async (world) => {
    const traffic = await openSolanaTraffic(world, seed);
    const struck = await breakThings(plan, world, traffic, progress);
    world.receiver.tell({ calm: true });
    const quiet = await settleDown(world, traffic, progress, plan.patienceMs ?? QUIET_MS);
    world.history.note('quiet', { quiet });
    await traffic.askAgain();
    const { violations, ...found } = await checkSolana(world.postgres.url, world.receiverLog, world.history.file);
    const counted = struck.filter(({ hit, inFlight }) => hit > 0 && inFlight > 0);
    return {
      ...found,
      violations: [
        ...findDeaths([world.api, world.settlement, world.sender, world.receiver]),
        ...findWaiting(traffic),
        ...violations,
      ],
      payments: traffic.released(),
      struck: counted,
      missed: struck.length - counted.length,
      inFlightP50: median(counted.map(({ inFlight }) => inFlight)),
    };
  });
}

/** Each fault has its share of the payments, and strikes in the middle of it. One that missed is tried again. */
async function breakThings(
  plan: SolanaPlan,
  world: SolanaChaosWorld,
  traffic: SolanaTraffic,
  progress: Progress,
): Promise<readonly StruckSolana[]> {
  const share = Math.ceil(plan.payments / plan.faults);
  const wanted = Math.min(MOST_WANTED, Math.ceil(share / 2));
  const kinds = [...planFaults(plan.kinds ?? SOLANA_FAULT_KINDS, plan.faults, createDice(plan.seed))];
  const struck: StruckSolana[] = [];
  const retries = new Map<string, number>();
  for (let kind = kinds.shift(); kind !== undefined; kind = kinds.shift()) {
    const fault = SOLANA_FAULTS.get(kind);
    if (fault === undefined) throw new Error(`no fault is called ${kind}`);
    const open = () => traffic.released() - traffic.ended();
    await waitUntil(() => Promise.resolve(open() < share * SHARES_OPEN), RECOVERY_MS);
    traffic.release(share);
    let inFlight = 0;
    const ready = async () => {
      const enough = async () => {
        inFlight = await countInFlight(world);
        return inFlight >= wanted;
      };
      await waitUntil(enough, GATHER_MS, 20);
    };
    const fromMs = nowMs();
    const hit = await fault(world, { ready, more: () => traffic.release(A_FEW) });
    const untilMs = nowMs();
    const recovered = await waitUntil(() => hasCompletedSince(world, untilMs), RECOVERY_MS);
    const recoveryMs = nowMs() - untilMs;
    struck.push({ kind, inFlight, hit, recoveryMs });
    world.history.note('fault', { kind, inFlight, hit, fromMs, untilMs, recovered, recoveryMs });
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
