// How the cost of a payment grows: with what is stored, with endpoints, with lanes, with accounts. Each point is a short
// level of settlements through HTTP, as the settle bench measures them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createProgress } from '../../progress.ts';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { describeMachine } from '../settle/machine.ts';
import { measureLevel } from '../settle/measure-level.ts';
import { openPayers, type Payers } from '../settle/payers.ts';
import { prepareMetered } from '../settle/prepare-calls.ts';
import { atOnce } from '../settle/run-load.ts';
import { type SettleWorld, startSettleWorld, type WorldWish } from '../settle/settle-world.ts';
import { warmUp } from '../settle/warm-up.ts';
import { writeSection } from '../write-section.ts';
import { drawGrowth, type Point } from './draw-growth.ts';
import { chooseModel, fillTables } from './fill-tables.ts';

const CONCURRENCY = 256;
const WARM_UP_MS = 4_000;
const FEWEST_STORED = 10_000;
const MOST_STORED = 1_000_000;
/** CPU of a payment among the most that are stored, to that among the fewest. */
const BAR = 1.1;
const DRAWING = path.resolve('docs/operate/images/growth.svg');

const WORLDS: readonly { readonly axis: string; readonly value: number; readonly wish: WorldWish }[] = [
  { axis: 'endpoints', value: 1, wish: {} },
  { axis: 'endpoints', value: 1_000, wish: { accounts: 1_000, busyAccounts: 1 } },
  { axis: 'lanes', value: 1, wish: {} },
  { axis: 'lanes', value: 2, wish: { lanes: 2 } },
  { axis: 'lanes', value: 4, wish: { lanes: 4 } },
  { axis: 'accounts', value: 1, wish: {} },
  { axis: 'accounts', value: 1_000, wish: { accounts: 1_000 } },
];

export async function benchGrowth({ seconds, only, write, most = MOST_STORED }: BenchOptions): Promise<BenchResult> {
  const machine = describeMachine();
  console.log(machine);
  const points: Point[] = [];
  if (only === undefined || only === 'stored') points.push(...(await growStored(seconds, most)));
  for (const { axis, value, wish } of WORLDS) {
    if (only !== undefined && only !== axis) continue;
    points.push(await inWorld(wish, (world, payers) => measure(world, payers, axis, value, seconds)));
  }
  if (write) {
    mkdirSync(path.dirname(DRAWING), { recursive: true });
    writeFileSync(DRAWING, drawGrowth(points, machine));
    writeSection('growth', [
      `Seen on ${machine}; ${CONCURRENCY} at once, ${seconds} seconds each.`,
      '',
      '| | | a second | CPU ms |',
      '|---|---|---|---|',
      ...points.map(
        ({ axis, value, perSecond, cpuMs }) => `| ${axis} | ${value} | ${perSecond.toFixed(0)} | ${cpuMs.toFixed(2)} |`,
      ),
    ]);
  }
  const stored = points.filter(({ axis }) => axis === 'stored');
  const ratio = (stored.at(-1)?.cpuMs ?? Number.NaN) / (stored[0]?.cpuMs ?? Number.NaN);
  const failed = points.reduce((sum, point) => sum + point.failed, 0);
  return {
    figures: {
      failed,
      ...(Number.isFinite(ratio) && { cpu_ratio_stored: Math.round(ratio * 1_000) / 1_000 }),
      ...Object.fromEntries(
        points.map(({ axis, value, cpuMs }) => [`${axis}_${value}_cpu_ms`, Math.round(cpuMs * 1_000) / 1_000]),
      ),
      ...Object.fromEntries(
        points.flatMap(({ axis, value, perSecond, cpuMsOf, walBytes }) => [
          [`${axis}_${value}_per_s`, Math.round(perSecond)],
          [`${axis}_${value}_postgres_cpu_ms`, Math.round((cpuMsOf['postgres'] ?? 0) * 1_000) / 1_000],
          [`${axis}_${value}_wal_bytes`, Math.round(walBytes)],
        ]),
      ),
    },
    missed: [
      ...(failed > 0 ? [`${failed} settlements failed`] : []),
      ...(ratio > BAR ? [`cpu_ratio_stored ${ratio.toFixed(2)}, the bar is ${BAR}`] : []),
    ],
  };
}

/** In one world that is filled up on the way, so that only what is stored differs. */
function growStored(seconds: number, most: number): Promise<readonly Point[]> {
  return inWorld({}, async (world, payers) => {
    const model = await chooseModel(world.pool);
    const points: Point[] = [];
    let stored = 0;
    for (let wanted = FEWEST_STORED; wanted <= most; wanted *= 10) {
      const progress = createProgress(wanted - stored, process.stderr);
      let rows = 0;
      await fillTables(world.pool, model, stored + 1, wanted, (more) => {
        rows += more;
        progress.show(Math.min(wanted - stored, Math.floor(rows / 14)), `payments stored, ${rows} rows`);
      });
      progress.end();
      // As autovacuum would have done by now.
      await world.pool.query('vacuum (analyze)');
      stored = wanted;
      // Connections idled while rows were stored, and plans are made anew after `analyze`.
      await warmUp(world, payers, CONCURRENCY, WARM_UP_MS);
      points.push(await measure(world, payers, 'stored', wanted, seconds));
    }
    return points;
  });
}

async function inWorld<Result>(wish: WorldWish, run: (world: SettleWorld, payers: Payers) => Promise<Result>) {
  const world = await startSettleWorld(wish);
  const stopEarly = () => void world.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly);
  try {
    const payers = await openPayers(world.rpc, { address: world.chain.tokens.usdc, chainId: world.chain.chainId });
    await warmUp(world, payers, CONCURRENCY, WARM_UP_MS);
    return await run(world, payers);
  } finally {
    process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly);
    await world.stop();
  }
}

async function measure(
  world: SettleWorld,
  payers: Payers,
  axis: string,
  value: number,
  seconds: number,
): Promise<Point> {
  const prepared = await prepareMetered(world, payers, CONCURRENCY * (seconds + 1));
  const level = await measureLevel(world, prepared, atOnce(CONCURRENCY), seconds * 1_000);
  const { perSecond, cpuMs, failed, notes, costs, intent } = level;
  const cpuMsOf = Object.fromEntries(
    Object.entries(costs.cpuMsOf).map(([part, ms]) => [part, ms + (intent.cpuMsOf[part] ?? 0)]),
  );
  const walBytes = costs.walBytes + intent.walBytes;
  const parts = Object.entries({ ...cpuMsOf, stolen: costs.stolenMs }).map(([part, ms]) => `${part} ${ms.toFixed(2)}`);
  console.log(
    `${axis} ${value}: ${perSecond.toFixed(0)}/s, CPU ${cpuMs.toFixed(2)} ms (${parts.join(', ')}), ` +
      `WAL ${walBytes.toFixed(0)} bytes, failed ${failed} ${JSON.stringify(notes)}`,
  );
  return { axis, value, perSecond, cpuMs, cpuMsOf, walBytes, failed };
}
