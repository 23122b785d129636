// Honest payers alone, then the same payers beside every attacker at once, then a wait for what is open. A rehearsal of both
// goes before: the processes of an installation have run for days, with compiled code, open connections and made plans.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../progress.ts';
import { headOf, readRelayerTransactions } from '../burner/relayer-transactions.ts';
import { createAskChain } from '../checker/ask-chain.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice } from '../harness/dice.ts';
import { findDeaths } from '../harness/open-work.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { createApiClient } from './api-client.ts';
import { type EnemyWorld, startEnemyWorld } from './enemy-world.ts';
import { type CrowdPayment, openCrowd } from './honest-crowd.ts';
import type { HostileResult } from './hostile-driver.ts';
import {
  type EnemyEvidence,
  type EnemyFigures,
  findUntold,
  judgeEnemy,
  partOf,
  type TimedRecord,
  type ToldEvidence,
} from './judge-enemy.ts';
import { createPartMeter, type PartCores } from './measure-parts.ts';

export type EnemyPlan = {
  /** Of the attack. */
  readonly seconds: number;
  /** Of a rehearsal of the attack before the quiet part. */
  readonly rehearsalSeconds: number;
  /** Honest payers alone before it. */
  readonly quietSeconds: number;
  readonly accounts: number;
  /** Honest payments a second. */
  readonly honest: number;
  /** Hostile requests a second, of all attackers together. */
  readonly hostile: number;
  readonly seed: number;
  /** An honest payer pays once in so many seconds. */
  readonly roundSeconds?: number;
  /** How long an honest payer tries, from the moment its payment is due. */
  readonly patienceSeconds?: number;
  /** How long hostile payments may take to end after the attack. */
  readonly drainSeconds?: number;
};

export type EnemyResult = EnemyFigures & {
  /** Share of honest event streams that were refused during the attack. */
  readonly streams_refused: number;
  readonly cores_quiet: PartCores;
  readonly cores_attack: PartCores;
};

export type EnemyRun = {
  readonly result: EnemyResult;
  /** What a picture of the run shows. */
  readonly course: EnemyCourse;
};

/** The run over time; seconds count from the first counted payment. */
export type EnemyCourse = {
  readonly attackFrom: number;
  readonly payments: readonly { readonly second: number; readonly payment: CrowdPayment }[];
  readonly hostile: HostileResult['seconds'];
  readonly blocks: readonly { readonly second: number; readonly gasLost: bigint; readonly gasSettled: bigint }[];
};

const ROUND_SECONDS = 10;
const PATIENCE_SECONDS = 30;
/** For honest payments that are open when the attack ends. */
const HONEST_DRAIN_MS = 60_000;
/** For hostile ones: one that waits for its turn stays open. */
const DRAIN_SECONDS = 20;
/** For webhooks of payments that have completed. */
const TOLD_MS = 30_000;
const SHOW_MS = 1_000;
const ATTACK_PATIENCE_MS = 60_000;

export async function runEnemy(plan: EnemyPlan, progress: Progress): Promise<EnemyRun> {
  const world = await startEnemyWorld(plan);
  const client = createApiClient(world.apiUrls);
  let red = true;
  try {
    const { roundSeconds = ROUND_SECONDS, drainSeconds = DRAIN_SECONDS, patienceSeconds = PATIENCE_SECONDS } = plan;
    // The quiet part begins when every payer has paid once. Contract wallets that have not paid before share few slots, and
    // those that still wait would count as quiet latency.
    const warmUpSeconds = roundSeconds + 1;
    const totalSeconds = warmUpSeconds + plan.rehearsalSeconds + plan.quietSeconds + plan.seconds;
    const crowd = await openCrowd(
      world,
      client,
      { perSecond: plan.honest, roundSeconds, totalSeconds, seed: plan.seed, patienceMs: patienceSeconds * 1_000 },
      createDice(plan.seed),
    );
    const isOver = async (of: (payment: TimedRecord) => boolean) =>
      (await readPayments(world)).every((payment) => payment.status !== 'pending' || !of(payment));
    const askChain = createAskChain(world.chain.rpcUrl);
    progress.print(`${plan.accounts} accounts are there; honest payers begin`);
    const beganMs = performance.now();
    const showing = setInterval(() => {
      const seconds = Math.round((performance.now() - beganMs) / 1_000);
      progress.show(seconds, `seconds; honest ${crowd.finished()}/${crowd.started()} ended`);
    }, SHOW_MS);
    const [warmUp, quiet, attacked]: [CrowdPayment[], CrowdPayment[], CrowdPayment[]] = [[], [], []];
    const fromBlock = await headOf(askChain);
    await crowd.payFor(warmUpSeconds, warmUp);
    await crowd.ended();
    await waitUntil(() => isOver(() => true), HONEST_DRAIN_MS, SHOW_MS);
    const [rehearsalBlock, rehearsalMs] = [(await headOf(askChain)) + 1, nowMs()];
    if (plan.rehearsalSeconds > 0) {
      progress.print('rehearsal');
      world.driver.tell({ rehearseSeconds: plan.rehearsalSeconds });
      const rehearsed = world.driver.hear<boolean>('rehearsed', plan.rehearsalSeconds * 1_000 + ATTACK_PATIENCE_MS);
      await crowd.payFor(plan.rehearsalSeconds, warmUp);
      await crowd.ended();
      if ((await rehearsed) !== true) throw new Error(`the rehearsal does not end; its log is in ${world.directory}`);
      await waitUntil(() => isOver(() => true), HONEST_DRAIN_MS, SHOW_MS);
      progress.print('honest payers alone');
    }
    const measure = createPartMeter(world);
    const [countedMs, countedBlock] = [performance.now(), await headOf(askChain)];
    await crowd.payFor(plan.quietSeconds, quiet);
    const coresQuiet = measure();
    const attackBlock = (await headOf(askChain)) + 1;
    const streamsBefore = crowd.streams();
    progress.print('the attack begins');
    world.driver.tell({ attackSeconds: plan.seconds });
    const over = world.driver.hear<boolean>('attacked', plan.seconds * 1_000 + ATTACK_PATIENCE_MS);
    await crowd.payFor(plan.seconds, attacked);
    const coresAttack = measure();
    progress.print('the attack is over; what is open may end');
    await crowd.ended();
    const streams = crowd.streams();
    if ((await over) !== true) throw new Error(`the attackers do not end; their log is in ${world.directory}`);
    const honestIntents = new Set([...warmUp, ...quiet, ...attacked].map(({ intentId }) => intentId));
    await waitUntil(() => isOver(() => true), drainSeconds * 1_000, SHOW_MS);
    await waitUntil(() => isOver(({ intent }) => honestIntents.has(intent)), HONEST_DRAIN_MS, SHOW_MS);
    await sleep(SHOW_MS);
    let told = await readTold(world);
    const isTold = async () => {
      told = await readTold(world);
      return findUntold(told).length === 0;
    };
    await waitUntil(isTold, TOLD_MS, SHOW_MS);
    clearInterval(showing);
    const {
      rehearsed: rehearsedRequests,
      records: hostile,
      seconds: hostileSeconds,
    } = JSON.parse(readFileSync(world.resultFile, 'utf8')) as HostileResult;
    const relayers = world.chain.keys.relayers.map(({ account }) => account.address);
    const evidence: EnemyEvidence = {
      warmUp,
      quiet,
      attacked,
      hostile,
      ...told,
      transactions: await readRelayerTransactions(askChain, relayers, fromBlock, new Set()),
      rehearsedRequests,
      rehearsalBlock,
      quietBlock: countedBlock + 1,
      attackBlock,
      attackSeconds: plan.seconds,
      hostileAsked: plan.hostile,
      bookedLossWei: await readLoss(world, rehearsalMs),
    };
    const figures = judgeEnemy(evidence);
    const violations = [...findDeaths([...world.apis, ...world.settlements, ...world.senders]), ...figures.violations];
    red = violations.length > 0;
    const refused = streams.refused - streamsBefore.refused;
    return {
      result: {
        ...figures,
        violations,
        streams_refused: partOf(refused, streams.asked - streamsBefore.asked),
        cores_quiet: coresQuiet,
        cores_attack: coresAttack,
      },
      course: courseOf(evidence, { countedMs, countedBlock, attackFrom: plan.quietSeconds, hostileSeconds }),
    };
  } finally {
    progress.end();
    await client.close();
    await world.stop(red);
    if (red) progress.print(`the logs are in ${world.directory}`);
  }
}

type Marks = {
  readonly countedMs: number;
  readonly countedBlock: number;
  readonly attackFrom: number;
  readonly hostileSeconds: HostileResult['seconds'];
};

/** Blocks are a second apart. */
function courseOf({ quiet, attacked, transactions }: EnemyEvidence, marks: Marks): EnemyCourse {
  const { countedMs, countedBlock, attackFrom, hostileSeconds } = marks;
  return {
    attackFrom,
    payments: [...quiet, ...attacked].map((payment) => ({ second: (payment.dueMs - countedMs) / 1_000, payment })),
    hostile: hostileSeconds,
    blocks: transactions
      .filter(({ blockNumber }) => blockNumber > countedBlock)
      .map(({ blockNumber, gasUsed, settledCodes }) => ({
        second: blockNumber - countedBlock,
        gasLost: settledCodes.length === 0 ? gasUsed : 0n,
        gasSettled: settledCodes.length === 0 ? 0n : gasUsed,
      })),
  };
}

async function readTold(world: EnemyWorld): Promise<ToldEvidence> {
  // Before the payments: nobody is told of one that completes in between.
  const arrivals = world.merchants.arrivals();
  return { recorded: await readPayments(world), arrivals, toldAccounts: world.toldAccounts };
}

async function readLoss({ postgres }: EnemyWorld, sinceMs: number): Promise<bigint> {
  const { rows } = await postgres.pool.query<{ loss: string }>(
    "select coalesce(sum(amount), 0)::text as loss from svc.gas_losses where id >= svc.id_bound('lg', $1)",
    [new Date(sinceMs)],
  );
  return BigInt(rows[0]?.loss ?? 0);
}

async function readPayments({ postgres }: EnemyWorld): Promise<readonly TimedRecord[]> {
  const { rows } = await postgres.pool.query<TimedRecord>(
    `select p.intent_id as intent, p.account_id as account, s.intent_code::text as code, '0x' || encode(c.nonce, 'hex') as nonce, p.status,
       p.failure_code as failure, extract(epoch from p.completed_at)::float8 * 1000 as "completedAtMs"
     from svc.payments p
     join svc.settlements s on s.payment_id = p.id
     left join svc.claims c on c.claim_key = s.claim_key`,
  );
  return rows;
}
