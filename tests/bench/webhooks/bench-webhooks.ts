// Deliveries through the real service on a database with old ones: an even 2,000 a second, 800 alone and beside endpoints that
// hang, a backlog emptied as fast as it goes beside bare undici, and 100,000 due at once beside fresh events.
import path from 'node:path';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { sendBare } from './bare-sender.ts';
import { type BenchWorld, startBenchWorld } from './bench-world.ts';
import { drainBacklog, flood } from './drain-backlog.ts';
import { emitSteadily } from './emit-steadily.ts';

const OLD = 1_000_000;
const PER_SECOND = 2_000;
const ISOLATION_PER_SECOND = 800;
const ISOLATION_MS = 15_000;
const HEALTHY = 900;
const HUNG = 100;
const BACKLOG = 20_000;
const FLOOD = 100_000;
/** As many requests at once as the service makes by its default settings. */
const CONNECTIONS = 512;
const BAR = { p99Ms: 250, freshMs: 1_000, ratio: 0.12, shiftShare: 0.2, shiftMs: 50 };

/** `--only steady` measures the even pace alone, `--rate` another pace; `--most` is how many old deliveries there are. */
export async function benchWebhooks({ seconds, only, most = OLD, rates, profile }: BenchOptions): Promise<BenchResult> {
  const world = await startBenchWorld(profile ? path.resolve('.cache/profiles/webhooks') : undefined);
  try {
    console.log(`Postgres: ${JSON.stringify(world.settings)}`);
    const healthy = await world.merchants.addEndpoints(HEALTHY, `http://127.0.0.1:${world.receiverPort}/ok`);
    await world.merchants.addOld(most, healthy);
    console.log(`old deliveries: ${most}`);
    await emitSteadily(world, { perSecond: ISOLATION_PER_SECOND, to: healthy, label: 'warming up', forMs: 3_000 });
    const steady = await measureSteady(world, healthy, rates?.[0] ?? PER_SECOND, seconds);
    if (only === 'steady') return steady;
    const [flooded, others] = [await measureFlood(world, healthy), await measureIsolation(world, healthy)];
    return {
      figures: { ...steady.figures, ...flooded.figures, ...others.figures },
      missed: [...steady.missed, ...flooded.missed, ...others.missed],
    };
  } finally {
    await world.stop();
  }
}

async function measureSteady(
  world: BenchWorld,
  to: readonly string[],
  wanted: number,
  seconds: number,
): Promise<BenchResult> {
  const pace = { perSecond: wanted, forMs: seconds * 1_000, to, label: `${wanted} a second` };
  const { perSecond, p50Ms, p99Ms, lost, duplicates, spent } = await emitSteadily(world, pace);
  console.log(
    `${perSecond}/s for ${seconds} s: p50 ${p50Ms} ms, p99 ${p99Ms} ms, lost ${lost}, each ${JSON.stringify(spent)}`,
  );
  return {
    figures: {
      per_s: perSecond,
      p50_ms: p50Ms,
      p99_ms: p99Ms,
      lost,
      duplicates,
      webhooks_cpu_ms: spent.webhooksMs,
      postgres_cpu_ms: spent.postgresMs,
      wal_bytes: spent.walBytes,
      seconds,
    },
    missed: [
      ...(perSecond < wanted * 0.98 ? [`${perSecond}/s, the bar is ${wanted}`] : []),
      ...(p99Ms >= BAR.p99Ms ? [`p99 ${p99Ms} ms at ${wanted}/s, the bar is ${BAR.p99Ms}`] : []),
      ...(lost > 0 ? [`${lost} deliveries are lost at ${wanted}/s`] : []),
    ],
  };
}

async function measureFlood(world: BenchWorld, healthy: readonly string[]): Promise<BenchResult> {
  const { perSecond: most, spent } = await drainBacklog(world, healthy, BACKLOG);
  const bare = await sendBare(world.receiverPort, BACKLOG, CONNECTIONS, world.merchants.body);
  console.log(`backlog: ${Math.round(most)}/s, each ${JSON.stringify(spent)}; bare undici: ${Math.round(bare)}/s`);
  const half = HEALTHY / 2;
  const { perSecond, lost, fresh } = await flood(world, FLOOD, healthy.slice(0, half), healthy.slice(half));
  console.log(
    `${FLOOD} due at once: ${Math.round(perSecond)}/s, fresh p99 ${fresh.p99Ms} ms, longest ${fresh.longestMs} ms`,
  );
  const ratio = Math.round((most / bare) * 1_000) / 1_000;
  return {
    figures: {
      most_per_s: Math.round(most),
      cpu_ms: Math.round((spent.webhooksMs + spent.postgresMs) * 1_000) / 1_000,
      bare_per_s: Math.round(bare),
      ratio_bare: ratio,
      flood_per_s: Math.round(perSecond),
      flood_fresh_p99_ms: fresh.p99Ms,
      flood_fresh_longest_ms: fresh.longestMs,
    },
    missed: [
      ...(lost > 0 ? [`${lost} deliveries of the flood are lost`] : []),
      ...(ratio < BAR.ratio ? [`${ratio} of bare, the bar is ${BAR.ratio}`] : []),
      ...(fresh.p99Ms >= BAR.freshMs
        ? [`fresh events waited ${fresh.p99Ms} ms (p99) behind ${FLOOD}, the bar is ${BAR.freshMs}`]
        : []),
    ],
  };
}

async function measureIsolation(world: BenchWorld, healthy: readonly string[]): Promise<BenchResult> {
  const hung = await world.merchants.addEndpoints(HUNG, `http://127.0.0.1:${world.receiverPort}/hang`);
  const pace = { perSecond: ISOLATION_PER_SECOND, forMs: ISOLATION_MS, to: healthy };
  const alone = await emitSteadily(world, { ...pace, label: `${ISOLATION_PER_SECOND} a second` });
  const beside = await emitSteadily(world, { ...pace, label: `beside ${HUNG} that hang`, hung });
  console.log(`${ISOLATION_PER_SECOND}/s: p99 ${alone.p99Ms} ms; beside ${HUNG} that hang: ${beside.p99Ms} ms`);
  const shiftMs = beside.p99Ms - alone.p99Ms;
  const mayShiftMs = Math.max(BAR.shiftMs, alone.p99Ms * BAR.shiftShare);
  const lost = alone.lost + beside.lost;
  return {
    figures: {
      isolation_p99_shift_ms: shiftMs,
      isolation_postgres_cpu_ms: beside.spent.postgresMs,
      alone_postgres_cpu_ms: alone.spent.postgresMs,
    },
    missed: [
      ...(lost > 0 ? [`${lost} deliveries are lost beside endpoints that hang`] : []),
      ...(shiftMs > mayShiftMs ? [`hung endpoints move p99 by ${shiftMs} ms, the bar is ${mayShiftMs}`] : []),
    ],
  };
}
