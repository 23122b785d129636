// A steady stream of payments through a cluster while its nodes and the services on it are killed, one after the other; then
// quiet, then the checker.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import type { PaymentsVerdict } from '../checker/check-payments.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice } from '../harness/dice.ts';
import { planFaults } from '../harness/plan-faults.ts';
import { inWorld } from '../harness/world-folder.ts';
import { conclude } from '../settlement/conclude.ts';
import { type StruckFault, strike } from '../settlement/strike.ts';
import { openTraffic, type Traffic } from '../settlement/traffic.ts';
import { type SettlementWorld, startSettlementWorld } from '../settlement/world.ts';
import { CLUSTER_FAULTS, CLUSTER_KINDS, secondsOf } from './cluster-faults.ts';
import { measureDip } from './measure-dip.ts';

export type ClusterRun = {
  readonly payments: number;
  readonly faults: number;
  readonly seed: number;
  readonly kinds?: readonly string[];
  /** Needs a store of blobs, which is fetched when it is not there. */
  readonly snapshots: boolean;
};

type DippedFault = StruckFault & { readonly dipMs: number };

export type ClusterResult = PaymentsVerdict & {
  readonly payments: number;
  readonly struck: readonly DippedFault[];
  readonly inFlightP50: number;
  readonly blobs: number;
  readonly seconds: number;
};

const WARM_UP_SECONDS = 12;
const TICK_MS = 100;
const WANTED = 5;
const NODE_SALT = 0x5eed;

export async function runClusterChaos(plan: ClusterRun, progress: Progress): Promise<ClusterResult> {
  const { seed, snapshots } = plan;
  const cluster = { snapshots, print: progress.print };
  const starting = startSettlementWorld({ seed, dice: createDice(seed ^ NODE_SALT), cluster });
  return inWorld(starting, { progress, keepEvidence: true }, async (world) => {
    const traffic = await openTraffic(world, world.history, seed);
    const struck = await breakThings(plan, world, traffic, progress);
    return {
      ...(await conclude(world, traffic, progress)),
      payments: traffic.released(),
      struck,
      inFlightP50: median(struck.map(({ inFlight }) => inFlight)),
      blobs: world.blobs?.countBlobs() ?? 0,
    };
  });
}

async function breakThings(
  plan: ClusterRun,
  world: SettlementWorld,
  traffic: Traffic,
  progress: Progress,
): Promise<readonly DippedFault[]> {
  const dice = createDice(plan.seed);
  const kinds = planFaults(plan.kinds ?? CLUSTER_KINDS, plan.faults, dice);
  const loadSeconds = WARM_UP_SECONDS + kinds.reduce((sum, kind) => sum + secondsOf(kind), 0);
  const load = release(traffic, plan.payments, loadSeconds * 1_000, progress);
  await sleep(WARM_UP_SECONDS * 1_000);
  const struck: DippedFault[] = [];
  for (const kind of kinds) {
    const endMs = nowMs() + secondsOf(kind) * 1_000;
    const [fault] = await strike(world, dice, [kind], {
      wanted: WANTED,
      traffic: { ...traffic, release: () => {} },
      faults: CLUSTER_FAULTS,
    });
    if (fault === undefined) throw new Error('nothing struck');
    world.history.note('fault', { ...fault });
    await sleep(Math.max(0, endMs - nowMs()));
    const dipMs = measureDip(await completedSince(world, fault.fromMs), fault.fromMs, nowMs());
    struck.push({ ...fault, dipMs });
    progress.print(
      `fault ${struck.length}: ${kind}; ${fault.inFlight} payments in flight; back to half of the usual after ${inSeconds(dipMs)} s`,
    );
  }
  await load;
  return struck;
}

export const inSeconds = (ms: number): number => Math.round(ms / 100) / 10;

/** Evenly over the time, whatever happens meanwhile. */
async function release(traffic: Traffic, payments: number, overMs: number, progress: Progress): Promise<void> {
  const startMs = performance.now();
  while (traffic.released() < payments) {
    const due = Math.ceil((payments * (performance.now() - startMs)) / overMs);
    traffic.release(Math.min(payments, due) - traffic.released());
    progress.show(traffic.ended(), `of ${traffic.released()} payments ended`);
    await sleep(TICK_MS);
  }
}

const LOOK_BACK_MS = 15_000;

async function completedSince({ postgres }: SettlementWorld, strokeMs: number): Promise<readonly number[]> {
  const { rows } = await postgres.pool.query<{ at: number }>(
    `select (extract(epoch from completed_at) * 1000)::float8 as at from svc.payments where completed_at > $1`,
    [new Date(strokeMs - LOOK_BACK_MS)],
  );
  return rows.map(({ at }) => at);
}
