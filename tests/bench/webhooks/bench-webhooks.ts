// Deliveries through the real service: an even 800 a second, the same beside endpoints that hang, a backlog emptied as fast
// as it goes beside bare undici, and 100,000 due at once beside fresh events.
import { sendBare } from './bare-sender.ts';
import { startBenchWorld } from './bench-world.ts';
import { drainBacklog, flood } from './drain-backlog.ts';
import { emitSteadily } from './emit-steadily.ts';

const PER_SECOND = 800;
const HEALTHY = 900;
const HUNG = 100;
const BACKLOG = 20_000;
const FLOOD = 100_000;
/** As many requests at once as the service makes by its default settings. */
const CONNECTIONS = 512;
const BAR = { p99Ms: 1_000, ratio: 0.12, shiftShare: 0.2, shiftMs: 50 };

export async function benchWebhooks(seconds: number) {
  const world = await startBenchWorld();
  try {
    console.log(`Postgres: ${JSON.stringify(world.settings)}`);
    const healthy = await world.merchants.addEndpoints(HEALTHY, `http://127.0.0.1:${world.receiverPort}/ok`);
    const hung = await world.merchants.addEndpoints(HUNG, `http://127.0.0.1:${world.receiverPort}/hang`);
    const pace = { perSecond: PER_SECOND, forMs: seconds * 1_000, to: healthy };

    await emitSteadily(world, { ...pace, label: 'warming up', forMs: 3_000 });
    const alone = await emitSteadily(world, { ...pace, label: `${PER_SECOND} a second` });
    console.log(`alone: ${alone.perSecond}/s, p99 ${alone.p99Ms} ms, lost ${alone.lost}`);
    const { perSecond: most, cpuMs } = await drainBacklog(world, healthy, BACKLOG);
    const bare = await sendBare(world.receiverPort, BACKLOG, CONNECTIONS, world.merchants.body);
    console.log(`backlog: ${Math.round(most)}/s, bare undici: ${Math.round(bare)}/s`);
    const half = HEALTHY / 2;
    const flooded = await flood(world, FLOOD, healthy.slice(0, half), healthy.slice(half));
    console.log(`${FLOOD} due at once: ${Math.round(flooded.perSecond)}/s, fresh p99 ${flooded.fresh.p99Ms} ms`);
    const besideHung = await emitSteadily(world, { ...pace, label: `beside ${HUNG} that hang`, hung });
    console.log(`beside ${HUNG} that hang: p99 ${besideHung.p99Ms} ms, lost ${besideHung.lost}`);

    const lost = alone.lost + besideHung.lost + flooded.lost;
    const shiftMs = besideHung.p99Ms - alone.p99Ms;
    const mayShiftMs = Math.max(BAR.shiftMs, alone.p99Ms * BAR.shiftShare);
    const ratio = Math.round((most / bare) * 1_000) / 1_000;
    return {
      figures: {
        per_s: alone.perSecond,
        p50_ms: alone.p50Ms,
        p99_ms: alone.p99Ms,
        lost,
        duplicates: alone.duplicates + besideHung.duplicates,
        isolation_p99_shift_ms: shiftMs,
        most_per_s: Math.round(most),
        cpu_ms: Math.round(cpuMs * 1_000) / 1_000,
        bare_per_s: Math.round(bare),
        ratio_bare: ratio,
        flood_per_s: Math.round(flooded.perSecond),
        flood_fresh_p99_ms: flooded.fresh.p99Ms,
        seconds,
      },
      missed: [
        ...(alone.perSecond < PER_SECOND * 0.98 ? [`${alone.perSecond}/s, the bar is ${PER_SECOND}`] : []),
        ...(alone.p99Ms > BAR.p99Ms ? [`p99 ${alone.p99Ms} ms, the bar is ${BAR.p99Ms}`] : []),
        ...(lost > 0 ? [`${lost} deliveries are lost`] : []),
        ...(ratio < BAR.ratio ? [`${ratio} of bare, the bar is ${BAR.ratio}`] : []),
        ...(shiftMs > mayShiftMs ? [`hung endpoints move p99 by ${shiftMs} ms, the bar is ${mayShiftMs}`] : []),
        ...(flooded.fresh.p99Ms > BAR.p99Ms
          ? [`fresh events waited ${flooded.fresh.p99Ms} ms (p99) behind ${FLOOD}, the bar is ${BAR.p99Ms}`]
          : []),
      ],
    };
  } finally {
    await world.stop();
  }
}
