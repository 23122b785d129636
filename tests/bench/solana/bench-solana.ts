// Settlements a second on Solana through the API, beside bare sends of the same kind of transaction to the same chain in the
// same run, by turns. A settlement counts when its payment is completed in PostgreSQL and its transaction has landed; its
// costs are counted until it is recorded as final, and those of its intent with them.
import { mapConcurrent } from '@svc-pay/core';
import { median, quantile } from '../../quantile.ts';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { type Costs, sumOf } from '../meters/costs.ts';
import { type MeterSources, startMeters } from '../meters/meters.ts';
import { drawProfiles, profileArguments } from '../settle/profiles.ts';
import { forgetStatements, heaviestStatements } from '../settle/statements.ts';
import { type FinalityLook, watchFinality } from './finality-backlog.ts';
import {
  type BareTransaction,
  drawPayers,
  makeBare,
  makePayments,
  type Payer,
  type SignedPayment,
} from './payments.ts';
import { createPostJson, type PostJson } from './post-json.ts';
import { SLOT_MS, type SolanaBenchWorld, startSolanaBenchWorld } from './solana-world.ts';

const PROFILED = ['api', 'settlement'] as const;
const CONCURRENCY = 256;
const ROUNDS = 3;
const LANES = 1;
const BAR = { ratio: 0.3, cpuMs: 8 };
/** Of one round; what is prepared lives for a minute. */
const MOST_PAYMENTS = 3_000;
const PATIENCE_MS = 60_000;
/** A slot is final after 32 others: all are 30 seconds after the load, if finality keeps up. */
const FINAL_SECONDS = 30;
const STATUSES_AT_ONCE = 256;

type Slice = { readonly perSecond: number; readonly failed: number; readonly latenciesMs: readonly number[] };
type Round = Slice & {
  readonly intent: Costs;
  readonly costs: Costs;
  /** From the last answer until all were final. */
  readonly finalSeconds: number;
  readonly looks: readonly FinalityLook[];
  readonly bare: Pick<Slice, 'perSecond' | 'failed'>;
};

export async function benchSolana({ seconds, profile }: BenchOptions): Promise<BenchResult> {
  const world = await startSolanaBenchWorld(LANES, profile ? profileArguments : undefined);
  const post = createPostJson(CONCURRENCY);
  try {
    const payers = await drawPayers(world, CONCURRENCY);
    const count = Math.min(MOST_PAYMENTS, Math.max(CONCURRENCY * 2, seconds * 100));
    await settleAll(world, post, await makePayments(world, post, payers, CONCURRENCY));
    await watchFinality(world).untilFinal(PATIENCE_MS);
    await forgetStatements(world.pool);
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const measured = await runRound(world, post, payers, count);
      rounds.push(measured);
      const { perSecond, failed, bare, finalSeconds, looks, costs } = measured;
      console.log(
        `round ${round}/${ROUNDS}: ${Math.round(perSecond)}/s settled, ${failed} failed; ` +
          `${Math.round(bare.perSecond)}/s bare, ${bare.failed} failed; all final ${finalSeconds.toFixed(0)} s later, ` +
          `at most ${mostOverdue(looks)} that the chain called final waited; CPU ${costs.cpuMs.toFixed(2)} ms`,
      );
    }
    if (profile) for (const line of await heaviestStatements(world.pool)) console.log(line);
    return judge(rounds, count, world.durable);
  } finally {
    post.end();
    await world.stop();
    if (profile) for (const line of drawProfiles(PROFILED)) console.log(line);
  }
}

async function runRound(
  world: SolanaBenchWorld,
  post: PostJson,
  payers: readonly Payer[],
  count: number,
): Promise<Round> {
  const { pids, besidePids, pool, fronts } = world;
  const { api, postgres, settlement, engine } = pids;
  const shared = { self: { name: 'load', charged: false }, pool, rowVersions: false, fronts };
  const making: MeterSources = { ...shared, charged: { api, postgres }, beside: { ...besidePids, settlement, engine } };
  const intentMeters = await startMeters(making);
  const payments = await makePayments(world, post, payers, count);
  const { costs: intent } = await intentMeters.stop(count);
  const meters = await startMeters({ ...shared, charged: pids, beside: besidePids });
  const finality = watchFinality(world);
  const slice = await settleAll(world, post, payments);
  const finalSeconds = await finality.untilFinal(PATIENCE_MS);
  const { costs } = await meters.stop(count - slice.failed);
  const bare = await sendAll(world, post, await makeBare(world, payers, count));
  return { ...slice, intent, costs, finalSeconds, looks: finality.looks, bare };
}

const mostOverdue = (looks: readonly FinalityLook[]) => looks.reduce((most, { overdue }) => Math.max(most, overdue), 0);

function judge(rounds: readonly Round[], count: number, durable: Readonly<Record<string, string>>): BenchResult {
  const middle = (value: (round: Round) => number) => rounded(median(rounds.map(value)));
  const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
  const ratio = middle(({ perSecond }) => perSecond) / middle(({ bare }) => bare.perSecond);
  const failed = rounds.reduce((sum, round) => sum + round.failed + round.bare.failed, 0);
  const cpuMs = middle(({ costs, intent }) => costs.cpuMs + intent.cpuMs);
  // Of a round that never ended: longer than any bar.
  const finalSeconds = Math.max(
    ...rounds.map((round) => (Number.isNaN(round.finalSeconds) ? 9_999 : round.finalSeconds)),
  );
  const parts = Object.keys(rounds[0]?.costs.cpuMsOf ?? {});
  return {
    figures: {
      per_s: middle(({ perSecond }) => perSecond),
      bare_per_s: middle(({ bare }) => bare.perSecond),
      ratio_bare: rounded(ratio),
      failed,
      settlements: count * rounds.length,
      concurrency: CONCURRENCY,
      relayers: LANES,
      slot_ms: SLOT_MS,
      p50_ms: Math.round(quantile(latencies, 0.5)),
      p99_ms: Math.round(quantile(latencies, 0.99)),
      cpu_ms: cpuMs,
      cpu_ms_intent: middle(({ intent }) => intent.cpuMs),
      ...Object.fromEntries(parts.map((part) => [`cpu_ms_${part}`, middle(({ costs }) => costs.cpuMsOf[part] ?? 0)])),
      cpu_ms_chain: middle(({ costs }) => costs.besideMsOf['chain'] ?? 0),
      cpu_ms_beside: middle(({ costs }) => sumOf(costs.besideMsOf)),
      wal_bytes: middle(({ costs, intent }) => costs.walBytes + intent.walBytes),
      statements: middle(({ costs, intent }) => costs.statements + intent.statements),
      rpc_calls: middle(({ costs, intent }) => costs.rpcCalls + intent.rpcCalls),
      final_seconds: rounded(finalSeconds),
      final_overdue_most: Math.max(...rounds.map(({ looks }) => mostOverdue(looks))),
      ...durable,
    },
    missed: [
      ...(ratio < BAR.ratio ? [`ratio_bare ${rounded(ratio)}, the bar is ${BAR.ratio}`] : []),
      ...(cpuMs > BAR.cpuMs ? [`cpu_ms ${cpuMs} with intent and finality, the bar is ${BAR.cpuMs}`] : []),
      ...(finalSeconds > FINAL_SECONDS
        ? [`the last was final ${rounded(finalSeconds)} s after the load, the bar is ${FINAL_SECONDS}`]
        : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ],
    raw: { rounds },
  };
}

/** Each client sends its signed transaction, and again while it is told that it is not over. */
async function settleAll(world: SolanaBenchWorld, post: PostJson, payments: readonly SignedPayment[]): Promise<Slice> {
  const headers = { authorization: `Bearer ${world.shop.publishableKey}` };
  const startMs = performance.now();
  const latenciesMs = await mapConcurrent(CONCURRENCY, payments, async ({ body }) => {
    const fromMs = performance.now();
    for (;;) {
      const answer = await post(world.apiPort, '/sdk/public/payments/x402/relay', body, headers);
      const status = answer.code === 200 ? (JSON.parse(answer.body) as { status: string }).status : undefined;
      const overMs = performance.now() - fromMs;
      if (status === 'succeeded' || status === 'failed' || overMs > PATIENCE_MS) return overMs;
    }
  });
  const tookMs = performance.now() - startMs;
  const good = await countSettled(world, payments);
  return { perSecond: (good * 1_000) / tookMs, failed: payments.length - good, latenciesMs };
}

/** By the database and the chain, not by what clients were told. */
async function countSettled({ pool, node }: SolanaBenchWorld, payments: readonly SignedPayment[]): Promise<number> {
  const { rows } = await pool.query<{ transaction: string }>(
    `select p.transaction_id as transaction from svc.payments p
     join svc.intents i on i.id = p.intent_id and i.payment_id = p.id
     where p.intent_id = any ($1) and p.status = 'completed' and i.status = 'completed'`,
    [payments.map(({ intentId }) => intentId)],
  );
  return countLanded(
    node,
    rows.map(({ transaction }) => transaction),
  );
}

async function countLanded(node: SolanaBenchWorld['node'], ids: readonly string[]): Promise<number> {
  let landed = 0;
  for (let from = 0; from < ids.length; from += STATUSES_AT_ONCE) {
    const statuses = await node.statuses(ids.slice(from, from + STATUSES_AT_ONCE));
    landed += statuses.filter((status) => status !== null && status.error === null).length;
  }
  return landed;
}

async function sendAll(
  { chainPort, node }: SolanaBenchWorld,
  post: PostJson,
  transactions: readonly BareTransaction[],
): Promise<Pick<Slice, 'perSecond' | 'failed'>> {
  const startMs = performance.now();
  await mapConcurrent(CONCURRENCY, transactions, ({ body }) => post(chainPort, '/', body));
  const tookMs = performance.now() - startMs;
  const landed = await countLanded(
    node,
    transactions.map(({ transactionId }) => transactionId),
  );
  return { perSecond: (landed * 1_000) / tookMs, failed: transactions.length - landed };
}

const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
