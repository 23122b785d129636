// Settlements a second through the whole service, beside the stock facilitator, the same batches sent bare, an empty handler
// on the engine and single-row commits: one run, one machine, one chain.
import type { BenchOptions, BenchResult } from '../bench.ts';
import { writeSection } from '../write-section.ts';
import { sendBareBatches } from './bare-batches.ts';
import { measureCommits, measureEngine } from './bare-deps.ts';
import { ROUNDS } from './closed-loop.ts';
import { describeMachine } from './machine.ts';
import { type Level, measureLevel } from './measure-level.ts';
import { openPayers, type Payers } from './payers.ts';
import { prepareCalls } from './prepare-calls.ts';
import { drawProfiles, profileArguments } from './profiles.ts';
import { openReference, type ReferenceLevel } from './reference.ts';
import { BLOCK_GAS_LIMIT, BLOCK_SECONDS, type SettleWorld, startSettleWorld } from './settle-world.ts';
import { forgetStatements, heaviestStatements, STATEMENT_SETTINGS, watchStatements } from './statements.ts';
import { tabulate } from './tabulate.ts';

const OUR_LEVELS = [1, 32, 256, 1_024, 2_048];
const REFERENCE_LEVELS = [1, 32, 256, 512];
/** From here on it only waits longer. */
const MOST_OF_REFERENCE = 512;
const BARE_PAYMENTS_A_SECOND = 4_000;
const BAR = { p50Ratio: 1.25, saturated: 5, cpuMs: 2.2, bare: 0.1 };
/** A direct signature may live for the acceptance's 300 seconds and two minutes. */
const DIRECT_WINDOW_SECONDS = 410;
const WARM_UP = { concurrency: 64, forMs: 3_000 };
/** A level is prepared for this many times the rate that the one before it had. */
const HEADROOM = 2.5;

export async function benchSettle(options: BenchOptions): Promise<BenchResult> {
  const { seconds, only, profile, kind, write } = options;
  const world = await startSettleWorld({
    direct: kind === 'direct',
    ...(profile && { nodeArguments: profileArguments, postgresSettings: STATEMENT_SETTINGS }),
  });
  const stopEarly = () => void world.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly);
  try {
    const machine = describeMachine();
    console.log(machine);
    console.log(`Postgres ${JSON.stringify(world.durable)}, no unlogged table`);
    console.log(`blocks of ${BLOCK_SECONDS} s with a gas limit of ${BLOCK_GAS_LIMIT}`);
    const token = { address: world.chain.tokens.usdc, chainId: world.chain.chainId };
    const payers = await openPayers(
      world.rpc,
      token,
      kind === 'direct' ? { windowSeconds: DIRECT_WINDOW_SECONDS } : {},
    );
    if (profile) await watchStatements(world.pool);
    const wants = (part: string) => only === undefined || only === part;
    const forMs = seconds * 1_000;
    const reference = wants('reference') ? await runReference(world, payers, options) : [];
    const bareRates: number[] = [];
    const sendBare = async () => {
      const { perSecond, payments } = await sendBareBatches(world, payers, (BARE_PAYMENTS_A_SECOND * seconds) / 2);
      console.log(`bare batches: ${Math.round(perSecond)}/s over ${payments} payments`);
      bareRates.push(perSecond);
    };
    if (wants('bare')) await sendBare();
    const ours = wants('ours') ? await runOurs(world, payers, options) : [];
    // Once more: a chain grows slower as it grows, and ours ran between the two.
    if (wants('bare')) await sendBare();
    const engine = wants('bare') ? await measureEngine(world, Math.min(forMs, 10_000)) : Number.NaN;
    const commits = wants('bare') ? await measureCommits(world, Math.min(forMs, 10_000)) : Number.NaN;
    if (wants('bare')) {
      console.log(`empty durable handler: ${Math.round(engine)}/s, single-row commits: ${Math.round(commits)}/s`);
    }
    const bare = bareRates.reduce((sum, rate) => sum + rate, 0) / bareRates.length;
    const result = judge(ours, reference, { bare, engine, commits }, seconds);
    if (write) writeSection('settle', tabulate(machine, ours, reference, result.figures));
    return result;
  } finally {
    process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly);
    await world.stop();
    if (profile) for (const line of drawProfiles()) console.log(line);
  }
}

async function runReference(world: SettleWorld, payers: Payers, { seconds, levels }: BenchOptions) {
  const measure = await openReference(world, payers);
  const measured: ReferenceLevel[] = [];
  for (const concurrency of levels?.filter((level) => level <= MOST_OF_REFERENCE) ?? REFERENCE_LEVELS) {
    const level = await measure(concurrency, seconds * 1_000);
    measured.push(level);
    console.log(
      `reference ${concurrency}: ${level.perSecond.toFixed(1)}/s, p50 ${level.p50Ms} ms, CPU ${level.cpuMs.toFixed(2)} ms, failed ${level.failed}`,
    );
  }
  return measured;
}

async function runOurs(world: SettleWorld, payers: Payers, { seconds, levels, profile }: BenchOptions) {
  const warm = await prepareCalls(world, payers, WARM_UP.concurrency * 3);
  const warmed = await measureLevel(world, warm, WARM_UP.concurrency, WARM_UP.forMs);
  let rate = Math.max(200, warmed.perSecond);
  const measured: Level[] = [];
  for (const concurrency of levels ?? OUR_LEVELS) {
    const most = Math.min(concurrency * 2, rate * HEADROOM);
    const calls = await prepareCalls(world, payers, Math.ceil(most * seconds) + concurrency * (ROUNDS + 1));
    if (profile) await forgetStatements(world.pool);
    const level = await measureLevel(world, calls, concurrency, seconds * 1_000);
    measured.push(level);
    rate = Math.max(rate, level.perSecond);
    console.log(describe(level));
    if (profile) for (const line of await heaviestStatements(world.pool)) console.log(line);
    if (level.settled === calls.length) console.log('  all that was prepared is settled: the level was shorter');
  }
  return measured;
}

function describe({ concurrency, perSecond, p50Ms, p99Ms, cpuMs, cpuMsOf, failed, unheard, notes, seconds }: Level) {
  const parts = Object.entries(cpuMsOf).map(([part, used]) => `${part} ${used.toFixed(2)}`);
  const told = Object.keys(notes).length === 0 ? '' : ` ${JSON.stringify(notes)}`;
  return `ours ${concurrency}: ${perSecond.toFixed(1)}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms, CPU ${cpuMs.toFixed(2)} ms (${parts.join(', ')}), failed ${failed}, webhooks missing ${unheard}, ${seconds.toFixed(0)} s${told}`;
}

function judge(
  ours: readonly Level[],
  reference: readonly ReferenceLevel[],
  { bare, engine, commits }: { readonly bare: number; readonly engine: number; readonly commits: number },
  seconds: number,
): BenchResult & { readonly figures: Readonly<Record<string, number>> } {
  const best = ours.toSorted((one, other) => other.perSecond - one.perSecond)[0];
  const referenceBest = Math.max(...reference.map(({ perSecond }) => perSecond));
  const p50Ratio = p50At(ours, 32) / p50At(reference, 32);
  const failed = ours.reduce((sum, level) => sum + level.failed, 0);
  const unheard = ours.reduce((sum, level) => sum + level.unheard, 0);
  const rate = best?.perSecond ?? Number.NaN;
  const cpuMs = best?.cpuMs ?? Number.NaN;
  const figures = {
    failed,
    webhooks_missing: unheard,
    ours_per_s: rate,
    ours_at: best?.concurrency ?? Number.NaN,
    reference_per_s: referenceBest,
    ratio_saturated: rate / referenceBest,
    p50_ratio_32: p50Ratio,
    cpu_ms_per_payment: cpuMs,
    wal_bytes_per_payment: Math.round(best?.walBytes ?? Number.NaN),
    bare_per_s: bare,
    ratio_bare: rate / bare,
    engine_per_s: engine,
    engine_share: (best?.cpuMsOf.engine ?? Number.NaN) / cpuMs,
    commits_per_s: commits,
    seconds,
    ...Object.fromEntries(ours.map((level) => [`ours_${level.concurrency}_per_s`, level.perSecond])),
    ...Object.fromEntries(ours.map((level) => [`ours_${level.concurrency}_p50_ms`, level.p50Ms])),
    ...Object.fromEntries(ours.map((level) => [`ours_${level.concurrency}_cpu_ms`, level.cpuMs])),
    ...Object.fromEntries(reference.map((level) => [`reference_${level.concurrency}_per_s`, level.perSecond])),
    ...Object.fromEntries(reference.map((level) => [`reference_${level.concurrency}_p50_ms`, level.p50Ms])),
  };
  const missed = [
    ...(failed > 0 ? [`${failed} settlements failed`] : []),
    ...(unheard > 0 ? [`${unheard} webhooks did not arrive`] : []),
    ...(p50Ratio > BAR.p50Ratio ? [`p50_ratio_32 ${p50Ratio.toFixed(2)}, the bar is ${BAR.p50Ratio}`] : []),
    ...(figures.ratio_saturated < BAR.saturated
      ? [`ratio_saturated ${figures.ratio_saturated.toFixed(2)}, the bar is ${BAR.saturated}`]
      : []),
    ...(cpuMs > BAR.cpuMs ? [`cpu_ms_per_payment ${cpuMs.toFixed(2)}, the bar is ${BAR.cpuMs}`] : []),
    ...(figures.ratio_bare < BAR.bare ? [`ratio_bare ${figures.ratio_bare.toFixed(3)}, the bar is ${BAR.bare}`] : []),
  ];
  return { figures: rounded(figures), missed };
}

function p50At(
  levels: readonly { readonly concurrency: number; readonly p50Ms: number }[],
  concurrency: number,
): number {
  return levels.find((level) => level.concurrency === concurrency)?.p50Ms ?? Number.NaN;
}

function rounded(figures: Readonly<Record<string, number>>): Record<string, number> {
  const known = Object.entries(figures).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(known.map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]));
}
