// What an export costs the payments beside it: 50 settlements a second, quiet and beside an export of the same account, in
// alternating pairs. Then the whole account is exported: its memory, its rows and its sums.
import { createProgress } from '../../progress.ts';
import { median } from '../../quantile.ts';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { chooseModel, fillTables } from '../growth/fill-tables.ts';
import { describeMachine } from '../settle/machine.ts';
import { openPayers } from '../settle/payers.ts';
import { prepareCalls } from '../settle/prepare-calls.ts';
import { type SettleWorld, startSettleWorld } from '../settle/settle-world.ts';
import { STATEMENT_SETTINGS } from '../settle/statements.ts';
import { warmUp } from '../settle/warm-up.ts';
import { exportAll, exportUntil } from './export-load.ts';
import { peakMemoryMb, resetPeak } from './memory.ts';
import { type Paced, settlePaced } from './settle-paced.ts';

const PAYMENTS = 1_000_000;
const PAIRS = 5;
const PER_SECOND = 50;
const WARM_UP = { concurrency: 64, forMs: 4_000 };
/** What a page reads. */
const TABLES = ['intents', 'settlements', 'payments', 'ledger_bookings'];
const BAR = { p99Ratio: 1.25, looksRatio: 1.1, memoryMb: 150 };

export async function benchExport({ seconds, most = PAYMENTS }: BenchOptions): Promise<BenchResult> {
  const world = await startSettleWorld({ postgresSettings: STATEMENT_SETTINGS });
  const stopEarly = () => void world.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly);
  try {
    console.log(describeMachine());
    const payers = await openPayers(world.rpc, { address: world.chain.tokens.usdc, chainId: world.chain.chainId });
    await warmUp(world, payers, WARM_UP.concurrency, WARM_UP.forMs);
    await fill(world, most);
    const prepare = () => prepareCalls(world, payers, PER_SECOND * seconds);
    const pairs: { readonly quiet: Paced; readonly beside: Paced; readonly rows: number }[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const [first, second] = [await prepare(), await prepare()];
      const quietFirst = pair % 2 === 0;
      let rows = 0;
      const runQuiet = () => settlePaced(world, quietFirst ? first : second, PER_SECOND);
      const runBeside = async () => {
        const load = exportUntil(world);
        const measured = await settlePaced(world, quietFirst ? second : first, PER_SECOND);
        rows = await load.stop();
        return measured;
      };
      const earlier = quietFirst ? await runQuiet() : await runBeside();
      const later = quietFirst ? await runBeside() : await runQuiet();
      const [quiet, beside] = quietFirst ? [earlier, later] : [later, earlier];
      pairs.push({ quiet, beside, rows });
      console.log(
        `pair ${pair + 1}: quiet ${shown(quiet)}; beside ${Math.round(rows / seconds)} rows/s ${shown(beside)}`,
      );
    }
    resetPeak(world.pids.api);
    const beforeMb = peakMemoryMb(world.pids.api);
    const whole = await exportAll(world);
    const grownMb = peakMemoryMb(world.pids.api) - beforeMb;
    return judge(pairs, { ...whole, grownMb, seconds });
  } finally {
    process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly);
    await world.stop();
  }
}

const shown = ({ p50Ms, p99Ms, failed, webhookStatements }: Paced) =>
  `p50 ${p50Ms} ms, p99 ${p99Ms} ms, failed ${failed}, webhooks' statements ${webhookStatements}`;

async function fill(world: SettleWorld, payments: number): Promise<void> {
  const progress = createProgress(payments, process.stderr);
  let rows = 0;
  const onDone = (more: number) => {
    rows += more;
    progress.show(Math.min(payments, Math.floor(rows / 11)), `payments stored, ${rows} rows`);
  };
  await fillTables(world.pool, await chooseModel(world.pool), 1, payments, onDone, TABLES);
  progress.end();
  await world.pool.query('vacuum (analyze)');
}

type Whole = Awaited<ReturnType<typeof exportAll>> & { readonly grownMb: number; readonly seconds: number };

function judge(
  pairs: readonly { readonly quiet: Paced; readonly beside: Paced; readonly rows: number }[],
  whole: Whole,
): BenchResult {
  const ratioOf = (value: (measured: Paced) => number) =>
    median(pairs.map(({ quiet, beside }) => value(beside) / value(quiet)));
  const p99Ratio = ratioOf(({ p99Ms }) => p99Ms);
  const looksRatio = ratioOf(({ webhookStatements }) => webhookStatements);
  const failed = pairs.reduce((sum, { quiet, beside }) => sum + quiet.failed + beside.failed, 0);
  const figures = {
    failed,
    p99_ratio: round(p99Ratio),
    p50_ratio: round(ratioOf(({ p50Ms }) => p50Ms)),
    webhook_statements_ratio: round(looksRatio),
    rows_per_s_beside: Math.round(median(pairs.map(({ rows }) => rows)) / whole.seconds),
    exported_payments: whole.rows,
    export_seconds: Math.round(whole.tookMs / 1_000),
    api_memory_grown_mb: Math.round(whole.grownMb),
    sums_equal_ledger: String(whole.equal),
  };
  return {
    figures,
    missed: [
      ...(failed > 0 ? [`${failed} settlements failed`] : []),
      ...(p99Ratio > BAR.p99Ratio ? [`p99_ratio ${p99Ratio.toFixed(2)}, the bar is ${BAR.p99Ratio}`] : []),
      ...(looksRatio > BAR.looksRatio
        ? [`webhook_statements_ratio ${looksRatio.toFixed(2)}, the bar is ${BAR.looksRatio}`]
        : []),
      ...(whole.grownMb > BAR.memoryMb ? [`the API grew by ${whole.grownMb} MB, the bar is ${BAR.memoryMb}`] : []),
      ...(whole.equal ? [] : ['the sums of the export are not those of the ledger']),
    ],
  };
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
