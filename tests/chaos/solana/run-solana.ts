// Solana payments while everything around them breaks, then quiet, then a checker that trusts nobody.
import type { Progress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import { checkSolana, type SolanaVerdict } from '../checker/solana/check-solana.ts';
import { type BreakPlan, breakThings, hits, type Struck } from '../harness/break-things.ts';
import { createDice } from '../harness/dice.ts';
import { countInFlight, findDeaths, findWaiting, hasCompletedSince, settleDown } from '../harness/open-work.ts';
import { inWorld } from '../harness/world-folder.ts';
import type { SettlementBug } from '../settlement/service-programs.ts';
import { SOLANA_FAULT_KINDS, SOLANA_FAULTS } from './fault-kinds.ts';
import { openSolanaTraffic } from './traffic.ts';
import { startSolanaChaosWorld } from './world.ts';

export type SolanaPlan = BreakPlan & {
  /** Put in on purpose: the checker must find it. */
  readonly bug?: SettlementBug;
  /** For what is left to end once everything is well again. */
  readonly patienceMs?: number;
};

export type SolanaResult = SolanaVerdict & {
  readonly payments: number;
  readonly struck: readonly Struck[];
  readonly missed: number;
  readonly inFlightP50: number;
  readonly seconds: number;
};

const NODE_SALT = 0x5eed;
const QUIET_MS = 300_000;

export async function runSolanaChaos(plan: SolanaPlan, progress: Progress): Promise<SolanaResult> {
  const { seed, bug } = plan;
  const starting = startSolanaChaosWorld(seed, createDice(seed ^ NODE_SALT), bug);
  return inWorld(starting, { progress, keepEvidence: bug === undefined }, async (world) => {
    const traffic = await openSolanaTraffic(world, seed);
    const struck = await breakThings(plan, {
      kinds: SOLANA_FAULT_KINDS,
      strike: (kind, moment) => SOLANA_FAULTS.get(kind)?.(world, moment),
      traffic,
      countInFlight: () => countInFlight(world),
      hasRecovered: (sinceMs) => hasCompletedSince(world, sinceMs),
      history: world.history,
      progress,
    });
    world.receiver.tell({ calm: true });
    const quiet = await settleDown(world, traffic, progress, plan.patienceMs ?? QUIET_MS);
    world.history.note('quiet', { quiet });
    await traffic.askAgain();
    const { violations, ...found } = await checkSolana(world.postgres.url, world.receiverLog, world.history.file);
    const counted = hits(struck);
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
