// Payments on the Internet Computer while everything around them breaks, then quiet, then a checker that trusts nobody.
import type { Progress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import { checkIcp, type IcpVerdict } from '../checker/icp/check-icp.ts';
import { type BreakPlan, breakThings, hits, type Struck } from '../harness/break-things.ts';
import { findDeaths, findWaiting, settleDown } from '../harness/open-work.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { inWorld } from '../harness/world-folder.ts';
import { ICP_FAULT_KINDS, ICP_FAULTS } from './fault-kinds.ts';
import type { IcpBug } from './icp-bugs.ts';
import { findUnbalanced } from './ledger-check.ts';
import { readBlocks } from './read-blocks.ts';
import { openIcpTraffic } from './traffic.ts';
import { startIcpChaosWorld } from './world.ts';

export type IcpPlan = BreakPlan & {
  /** Put in on purpose: the checker must find it. */
  readonly bug?: IcpBug;
  /** For what is left to end once everything is well again. */
  readonly patienceMs?: number;
};

export type IcpResult = IcpVerdict & {
  readonly payments: number;
  readonly struck: readonly Struck[];
  readonly missed: number;
  readonly inFlightP50: number;
  readonly seconds: number;
};

const QUIET_MS = 300_000;
const READ_MS = 60_000;

export async function runIcpChaos(plan: IcpPlan, progress: Progress): Promise<IcpResult> {
  const { seed, bug } = plan;
  return inWorld(startIcpChaosWorld(seed, bug), { progress, keepEvidence: bug === undefined }, async (world) => {
    const { postgres, history, receiver, receiverLog } = world;
    const traffic = await openIcpTraffic(world, seed);
    // What strikes the reader first strikes payments, not the minting of what they are paid with.
    await waitUntil(async () => (await traffic.unread()) === 0, READ_MS);
    const hasCompletedSince = async (sinceMs: number) => {
      if (traffic.inFlight() === 0) return true;
      const { rowCount } = await postgres.pool.query('select from svc.payments where created_at > $1 limit 1', [
        new Date(sinceMs),
      ]);
      return rowCount === 1;
    };
    const struck = await breakThings(plan, {
      kinds: ICP_FAULT_KINDS,
      strike: (kind, moment) => ICP_FAULTS.get(kind)?.(world, { ...moment, traffic }),
      traffic,
      countInFlight: () => Promise.resolve(traffic.inFlight()),
      hasRecovered: hasCompletedSince,
      history,
      progress,
    });
    receiver.tell({ calm: true });
    const quiet = await settleDown(world, traffic, progress, plan.patienceMs ?? QUIET_MS);
    history.note('quiet', { quiet });
    const { violations, ...found } = await checkIcp(postgres.url, receiverLog, history.file, await readBlocks(world));
    const counted = hits(struck);
    return {
      ...found,
      violations: [
        ...findDeaths([...world.apis, ...world.settlements, ...world.senders, receiver]),
        ...findWaiting(traffic),
        ...violations,
        ...(await findUnbalanced(world.operatorEnvironment)),
      ],
      payments: traffic.released(),
      struck: counted,
      missed: struck.length - counted.length,
      inFlightP50: median(counted.map(({ inFlight }) => inFlight)),
    };
  });
}
