// The end of a run: nothing strikes any more, everything still open gets its time, every client asks once more, and the
// checker reads what is there.
import type { Progress } from '../../progress.ts';
import { checkPayments, type PaymentsVerdict } from '../checker/check-payments.ts';
import { findDeaths, findWaiting, settleDown } from '../harness/open-work.ts';
import type { Traffic } from './traffic.ts';
import type { SettlementWorld } from './world.ts';

const QUIET_MS = 300_000;

export async function conclude(
  world: SettlementWorld,
  traffic: Traffic,
  progress: Progress,
  patienceMs = QUIET_MS,
): Promise<PaymentsVerdict> {
  world.receiver.tell({ calm: true });
  const quiet = await settleDown(world, traffic, progress, patienceMs);
  world.history.note('quiet', { quiet });
  await traffic.askAgain();
  const found = await checkPayments(world.postgres.url, world.receiverLog, world.history.file);
  const programs = [...world.apis, ...world.settlements, ...world.senders, world.receiver];
  return { ...found, violations: [...findDeaths(programs), ...findWaiting(traffic), ...found.violations] };
}
