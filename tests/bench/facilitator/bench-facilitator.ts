// Payments a second through one stock seller, once with the stock facilitator and once with ours, in one run on one chain.
// The stock facilitator is tuned as far as its own interface allows and runs before our services start: nothing of ours
// works beside it. Both facilitators move money directly from the payer to the seller's wallet.
import { existsSync } from 'node:fs';
import type { LocalChain } from '@svc-pay/evm/local';
import type { Address } from 'viem';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { type BenchProcesses, createBenchProcesses } from '../bench-servers.ts';
import { ROUNDS } from '../settle/closed-loop.ts';
import { describeMachine } from '../settle/machine.ts';
import { openPayers, type Payers } from '../settle/payers.ts';
import { drawProfiles, profileArguments } from '../settle/profiles.ts';
import { startTuned } from '../settle/reference.ts';
import { type BareWorld, type SettleWorld, startSettleWorld } from '../settle/settle-world.ts';
import { heaviestStatements, STATEMENT_SETTINGS } from '../settle/statements.ts';
import { writeSection } from '../write-section.ts';
import { AMOUNT_ATOMIC, type MeasuredSeller, measureSeller, type SellerLevel, signRequests } from './measure-seller.ts';
import { tabulateSellers } from './tabulate-sellers.ts';

const LEVELS = [32, 256, 512];
const BAR = { saturated: 2.5, p50Ratio: 1.1 };
/** As many processes as ours has that work on a payment: the API and settlement. */
const STOCK_PROCESSES = 2;
const STOCK_MERCHANT: Address = '0x00000000000000000000000000000000000a1102';
const MAX_TIMEOUT_SECONDS = 300;
/** Signed at the beginning of a level, which ends long before. */
const WINDOW_SECONDS = 280;
const WARM_UP = { concurrency: 64, forMs: 3_000 };
/** A level is prepared for this many times the rate that the one before it had. */
const HEADROOM = 2.5;
const FIRST_RATE = 200;

export async function benchFacilitator(options: BenchOptions): Promise<BenchResult> {
  const { profile, only } = options;
  const processes = createBenchProcesses();
  const reference: SellerLevel[] = [];
  const machine = describeMachine();
  console.log(machine);
  const world = await startSettleWorld({
    direct: true,
    ...(profile && { nodeArguments: profileArguments, postgresSettings: STATEMENT_SETTINGS }),
    beforeServices: async (bare) => {
      if (only === 'ours') return;
      const payers = await openPayers(bare.rpc, tokenOf(bare.chain), { windowSeconds: WINDOW_SECONDS });
      reference.push(...(await runStock(bare, payers, options)));
    },
  });
  try {
    const ours = only === 'reference' ? [] : await runOurs(world, processes, options);
    const result = judge(ours, reference, options.seconds);
    if (options.write) writeSection('facilitator', tabulateSellers(machine, ours, reference, result.figures));
    return result;
  } finally {
    await processes.stop();
    await world.stop();
    if (profile) for (const line of drawProfiles()) console.log(line);
  }
}

const tokenOf = ({ tokens, chainId }: LocalChain) => ({ address: tokens.usdc, chainId });

async function runStock(
  { chain, fronts }: BareWorld,
  payers: Payers,
  options: BenchOptions,
): Promise<readonly SellerLevel[]> {
  const processes = createBenchProcesses();
  try {
    const stock = await startTuned(processes, { chain, fronts }, STOCK_PROCESSES);
    const payTo = STOCK_MERCHANT;
    const seller = await startSeller(processes, chain, { facilitatorUrl: `http://127.0.0.1:${stock.port}`, payTo });
    const pids = { facilitator: stock.child.pid ?? 0, seller: seller.pid };
    return await runLevels('reference', { chain, payers, payTo, port: seller.port, pids }, options);
  } finally {
    await processes.stop();
  }
}

async function runOurs(world: SettleWorld, processes: BenchProcesses, options: BenchOptions) {
  const { chain, rpc, apiPort } = world;
  const payers = await openPayers(rpc, tokenOf(chain), { windowSeconds: WINDOW_SECONDS });
  const [shop] = world.shops;
  const [payTo] = world.wallets as Address[];
  if (shop === undefined || payTo === undefined) throw new Error('the world has no shop with a wallet');
  const facilitatorUrl = `http://127.0.0.1:${apiPort}/x402`;
  const seller = await startSeller(processes, chain, { facilitatorUrl, secretKey: shop.secretKey, payTo });
  const pids = { ...world.pids, seller: seller.pid };
  const levels = await runLevels('ours', { chain, payers, payTo, port: seller.port, pids }, options);
  if (options.profile) for (const line of await heaviestStatements(world.pool)) console.log(line);
  return levels;
}

type SellerOptions = { readonly facilitatorUrl: string; readonly secretKey?: string; readonly payTo: Address };

/** The stock packages are not among those of the repository: nothing that is shipped needs them. */
function requireStockPackages(): void {
  if (existsSync('tests/interop/node_modules')) return;
  throw new Error(
    'The stock x402 packages are missing: run `npm install --prefix tests/interop`, then the bench again.',
  );
}

async function startSeller({ startOwn }: BenchProcesses, chain: LocalChain, options: SellerOptions) {
  requireStockPackages();
  const given = JSON.stringify({
    ...options,
    asset: chain.tokens.usdc,
    network: `eip155:${chain.chainId}`,
    amount: AMOUNT_ATOMIC.toString(),
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  });
  const { child, port } = await startOwn('tests/interop/peers/bench-seller.mjs', [given], {});
  return { port, pid: child.pid ?? 0 };
}

async function runLevels(name: string, seller: MeasuredSeller, { seconds, levels = LEVELS }: BenchOptions) {
  const forMs = seconds * 1_000;
  const warm = await signRequests(seller, WARM_UP.concurrency * (ROUNDS + 1));
  let rate = Math.max(FIRST_RATE, (await measureSeller(seller, warm, WARM_UP.concurrency, WARM_UP.forMs)).perSecond);
  const measured: SellerLevel[] = [];
  for (const concurrency of levels) {
    const most = Math.min(concurrency * 2, rate * HEADROOM);
    const requests = await signRequests(seller, Math.ceil(most * seconds) + concurrency * (ROUNDS + 1));
    const level = await measureSeller(seller, requests, concurrency, forMs);
    console.log(describe(name, level));
    if (level.settled === requests.length) console.log('  all that was prepared is settled: the level was shorter');
    measured.push(level);
    rate = Math.max(rate, level.perSecond);
  }
  return measured;
}

function describe(name: string, { concurrency, perSecond, p50Ms, failed, cpuMs, notes }: SellerLevel): string {
  const parts = Object.entries(cpuMs).map(([part, used]) => `${part} ${used.toFixed(2)}`);
  const told = failed === 0 ? '' : ` ${JSON.stringify(notes)}`;
  return `${name} ${concurrency}: ${perSecond.toFixed(1)}/s, p50 ${p50Ms.toFixed(0)} ms, CPU ms ${parts.join(', ')}, failed ${failed}${told}`;
}

function judge(
  ours: readonly SellerLevel[],
  reference: readonly SellerLevel[],
  seconds: number,
): BenchResult & { readonly figures: Readonly<Record<string, number>> } {
  const best = (levels: readonly SellerLevel[]) => Math.max(...levels.map(({ perSecond }) => perSecond));
  const p50At32 = (levels: readonly SellerLevel[]) =>
    levels.find(({ concurrency }) => concurrency === 32)?.p50Ms ?? Number.NaN;
  const failedOf = (levels: readonly SellerLevel[]) => levels.reduce((sum, level) => sum + level.failed, 0);
  const failed = failedOf(ours);
  const saturated = best(ours) / best(reference);
  const p50Ratio = p50At32(ours) / p50At32(reference);
  const levelsOf = (name: string, levels: readonly SellerLevel[]) =>
    levels.flatMap(({ concurrency, perSecond, p50Ms }) => [
      [`${name}_${concurrency}_per_s`, perSecond],
      [`${name}_${concurrency}_p50_ms`, p50Ms],
    ]);
  const figures: Record<string, number> = {
    failed,
    reference_failed: failedOf(reference),
    ours_per_s: best(ours),
    reference_per_s: best(reference),
    ratio_saturated: saturated,
    p50_ratio_32: p50Ratio,
    seconds,
    ...(Object.fromEntries([...levelsOf('ours', ours), ...levelsOf('reference', reference)]) as Record<string, number>),
  };
  const missed = [
    ...(failed > 0 ? [`${failed} settlements failed`] : []),
    ...(saturated >= BAR.saturated
      ? []
      : [`ratio_saturated ${saturated.toFixed(2)}, the bar is at least ${BAR.saturated}`]),
    ...(p50Ratio <= BAR.p50Ratio ? [] : [`p50_ratio_32 ${p50Ratio.toFixed(2)}, the bar is at most ${BAR.p50Ratio}`]),
  ];
  return { figures: rounded(figures), missed };
}

function rounded(figures: Readonly<Record<string, number>>): Record<string, number> {
  const known = Object.entries(figures).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(known.map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]));
}
