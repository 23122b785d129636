// Deliveries in a steady stream while things break, and then a checker that trusts nobody.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import { checkDeliveries, type Verdict } from '../checker/check-deliveries.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice, type Dice } from '../harness/dice.ts';
import { type History, openHistory } from '../harness/history.ts';
import { planFaults } from '../harness/plan-faults.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { FAULT_KINDS, type FaultKind, strike } from './faults.ts';
import { type Merchant, openMerchant } from './merchant.ts';
import type { SeededBug } from './seeded-bugs.ts';
import { type ChaosWorld, startChaosWorld } from './world.ts';

export type ChaosPlan = {
  readonly deliveries: number;
  readonly faults: number;
  readonly seed: number;
  readonly kinds?: readonly FaultKind[];
  readonly bug?: SeededBug;
  readonly slowestAnswerMs?: number;
  readonly perSecond?: number;
  /** For what is left to arrive once everything is well again. */
  readonly patienceMs?: number;
};

export type ChaosResult = Verdict & {
  readonly kinds: Readonly<Record<string, number>>;
  readonly inFlightP50: number;
  /** From the end of a fault to the first arrival of an event that was emitted after it. */
  readonly slowestRecoveryMs: number;
  readonly seconds: number;
};

const LEASE_MS = 3_000;
const TICK_MS = 50;
const RECOVERY_MS = 90_000;

export async function runWebhooksChaos(plan: ChaosPlan, progress: Progress): Promise<ChaosResult> {
  const startMs = performance.now();
  const dice = createDice(plan.seed);
  const world = await startChaosWorld({
    seed: plan.seed,
    leaseMs: LEASE_MS,
    slowestAnswerMs: plan.slowestAnswerMs ?? 200,
    bug: plan.bug,
  });
  let red = true;
  try {
    const history = openHistory(path.join(world.directory, 'history.log'));
    const urlOf = (endpoint: string) => `http://127.0.0.1:${world.receiver.port()}/${endpoint}`;
    const { masterKey, postgres } = world;
    const merchant = await openMerchant({ pool: postgres.pool, masterKey, dice, history, urlOf });
    const struck = await breakThings(plan, { world, merchant, history, dice, progress });
    world.receiver.tell({ calm: true });
    const quiet = await settleDown(world, progress, plan);
    history.note('quiet', { quiet });
    const found = await checkDeliveries(postgres.url, world.receiverLog, history.file);
    const deaths = [...world.senders, world.receiver].reduce((sum, program) => sum + program.deaths(), 0);
    const verdict = {
      ...found,
      problems: [...(deaths > 0 ? [`${deaths} processes ended by themselves`] : []), ...found.problems],
    };
    red = verdict.lost + verdict.unexplainedDuplicates + verdict.problems.length > 0;
    return {
      ...verdict,
      kinds: Object.fromEntries([...Map.groupBy(struck, ({ kind }) => kind)].map(([kind, of]) => [kind, of.length])),
      inFlightP50: median(struck.map(({ inFlight }) => inFlight)),
      slowestRecoveryMs: Math.max(0, ...struck.map(({ recoveryMs }) => recoveryMs)),
      seconds: Math.round((performance.now() - startMs) / 1_000),
    };
  } finally {
    const keep = red && plan.bug === undefined;
    await world.stop(keep);
    if (keep) progress.print(`the evidence is in ${world.directory}`);
  }
}

type Run = {
  readonly world: ChaosWorld;
  readonly merchant: Merchant;
  readonly history: History;
  readonly dice: Dice;
  readonly progress: Progress;
};

type CountedFault = { readonly kind: FaultKind; readonly inFlight: number; readonly recoveryMs: number };

/** Emits all the while; each fault has its share of the stream, and strikes in the middle of it. */
async function breakThings(plan: ChaosPlan, run: Run): Promise<readonly CountedFault[]> {
  const { world, merchant, history, dice, progress } = run;
  const perTick = Math.max(1, Math.round(((plan.perSecond ?? 150) * TICK_MS) / 1_000));
  const share = plan.deliveries / plan.faults;
  let emitted = 0;
  const struck: CountedFault[] = [];
  const emitting = (async () => {
    while (emitted < plan.deliveries || struck.length < plan.faults) {
      const mayBe = share * (struck.length + 1);
      if (emitted < mayBe && emitted < plan.deliveries) emitted += await merchant.emit(perTick);
      // The stream never stands still: a fault that takes long gets a thin one.
      else if (dice.roll() < THIN) emitted += await merchant.emit(1);
      await sleep(TICK_MS);
      progress.show(Math.min(emitted, plan.deliveries), `deliveries, ${struck.length}/${plan.faults} faults`);
    }
  })();
  for (const [index, kind] of planFaults(plan.kinds ?? FAULT_KINDS, plan.faults, dice).entries()) {
    await waitUntil(async () => emitted >= Math.min(share * (index + 0.4), plan.deliveries - 1), RECOVERY_MS, 10);
    const fromMs = nowMs();
    const { inFlight, hit } = await strike(kind, world, dice);
    const endMs = nowMs();
    const recovered = await waitUntil(() => arrivedSince(world, endMs), RECOVERY_MS, 20);
    const recoveryMs = nowMs() - endMs;
    history.note('fault', { kind, fromMs, untilMs: endMs, inFlight, hit, recovered, recoveryMs });
    progress.print(
      `fault ${index + 1}: ${kind}; ${inFlight} deliveries in flight; going on after ${recoveryMs} ms${recovered ? '' : ', not yet'}`,
    );
    struck.push({ kind, inFlight, recoveryMs });
  }
  await emitting;
  return struck;
}

const THIN = 0.3;

/** Whether something that was emitted after a moment has been delivered. */
async function arrivedSince({ postgres }: ChaosWorld, sinceMs: number): Promise<boolean> {
  const { rows } = await postgres.pool.query(
    `select from svc.deliveries where created_at > $1 and status = 'succeeded' limit 1`,
    [new Date(sinceMs)],
  );
  return rows.length > 0;
}

/** Retries wait for minutes by their schedule; here they are made due, again and again, until nothing is left. */
async function settleDown({ postgres }: ChaosWorld, progress: Progress, plan: ChaosPlan): Promise<boolean> {
  return waitUntil(
    async () => {
      await postgres.pool.query(
        `update svc.deliveries set next_at = now()
         where status = 'pending' and lease_until is null and next_at > now() and next_at <> 'infinity'`,
      );
      const { rows } = await postgres.pool.query<{ count: number }>(
        `select count(*)::integer as count from svc.deliveries where status = 'pending'`,
      );
      const pending = rows[0]?.count ?? 0;
      progress.show(plan.deliveries, `deliveries emitted, ${pending} on their way`);
      return pending === 0;
    },
    plan.patienceMs ?? 120_000,
    500,
  );
}
