// Deliveries through the real service, its own process beside a durable Postgres and Restate: a steady 800 a second, the
// same again beside endpoints that hang, and a backlog emptied as fast as it goes, beside bare undici.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, startRestate } from '@svc-pay/engine/server';
import { migrate } from '@svc-pay/postgres';
import { startPostgres } from '@svc-pay/postgres/server';
import pg from 'pg';
import { type Listening, startProcess } from '../intents/start-process.ts';
import { sendBare } from './bare-sender.ts';
import { type Merchants, openMerchants } from './merchants.ts';

const PER_SECOND = 800;
const TICK_MS = 50;
const ENDPOINTS = 100;
const HUNG = 20;
const BACKLOG = 6_000;
const BARE_CONCURRENCY = 64;
const BAR_P99_MS = 1_000;
const PATIENCE_MS = 60_000;

const nowMs = () => performance.timeOrigin + performance.now();
const whole = () => Math.floor(nowMs());

export async function benchWebhooks(seconds: number) {
  const postgres = await startPostgres({ settings: { max_connections: '60', shared_buffers: '256MB' } });
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  const engine = await startRestate({ dataDirectory });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  const started: Listening[] = [];
  try {
    const migrated = await migrate(postgres.url);
    if (!migrated.ok) throw new Error(`a fresh database refuses ${migrated.name}`);
    const masterKey = randomBytes(32);
    const receiver = await startProcess('tests/bench/webhooks/receiver.ts', [], {});
    started.push(receiver);
    started.push(
      await startProcess('services/webhooks/src/main.ts', [], {
        SVC_DATABASE_URL: postgres.url,
        SVC_MASTER_KEYS: `1:${masterKey.toString('base64')}`,
        SVC_WEBHOOKS_MODES: 'test',
        SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
        SVC_WEBHOOKS_PORT: '0',
        SVC_WEBHOOKS_ENGINE_PORT: String((await freePorts()).node),
        SVC_ENGINE_ADMIN_URL: engine.adminUrl,
        SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      }),
    );
    const merchants = await openMerchants(pool, masterKey, whole);
    const healthy = await merchants.addEndpoints(ENDPOINTS, `http://127.0.0.1:${receiver.port}/ok`);
    const hung = await merchants.addEndpoints(HUNG, `http://127.0.0.1:${receiver.port}/hang`);
    const run = (forMs: number, beside: readonly string[]) => steady(merchants, receiver.port, healthy, beside, forMs);

    await run(2_000, []);
    const alone = await run(seconds * 1_000, []);
    console.log(`alone: ${alone.perSecond}/s, p99 ${alone.p99Ms} ms, lost ${alone.lost}`);
    const besideHung = await run(seconds * 1_000, hung);
    console.log(`beside ${HUNG} that hang: p99 ${besideHung.p99Ms} ms, lost ${besideHung.lost}`);
    const most = await backlog(merchants, receiver.port, healthy);
    const bare = await sendBare(receiver.port, BACKLOG, BARE_CONCURRENCY);
    console.log(`backlog: ${Math.round(most)}/s, bare undici: ${Math.round(bare)}/s`);

    const lost = alone.lost + besideHung.lost;
    const shiftMs = besideHung.p99Ms - alone.p99Ms;
    const mayShiftMs = Math.max(50, alone.p99Ms * 0.2);
    return {
      figures: {
        per_s: alone.perSecond,
        p50_ms: alone.p50Ms,
        p99_ms: alone.p99Ms,
        lost,
        duplicates: alone.duplicates + besideHung.duplicates,
        isolation_p99_shift_ms: shiftMs,
        most_per_s: Math.round(most),
        bare_per_s: Math.round(bare),
        ratio_bare: Math.round((most / bare) * 1_000) / 1_000,
      },
      missed: [
        ...(alone.perSecond < PER_SECOND * 0.98 ? [`${alone.perSecond}/s, the bar is ${PER_SECOND}`] : []),
        ...(alone.p99Ms > BAR_P99_MS ? [`p99 ${alone.p99Ms} ms, the bar is ${BAR_P99_MS}`] : []),
        ...(lost > 0 ? [`${lost} deliveries are lost`] : []),
        ...(shiftMs > mayShiftMs ? [`hung endpoints move p99 by ${shiftMs} ms, the bar is ${mayShiftMs}`] : []),
      ],
    };
  } finally {
    for (const listening of started) await listening.stop();
    await pool.end();
    await engine.stop('SIGKILL');
    await postgres.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

type Steady = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
  readonly duplicates: number;
};

/** Events at the pace of the bar for a while; then waits until all that can arrive has arrived. */
async function steady(
  merchants: Merchants,
  port: number,
  healthy: readonly string[],
  hung: readonly string[],
  forMs: number,
): Promise<Steady> {
  await ask(port, 'arrivals');
  const committedMs = new Map<string, number>();
  const startMs = nowMs();
  let next = 0;
  for (let tick = 0; nowMs() - startMs < forMs; tick += 1) {
    const count = Math.round((PER_SECOND * TICK_MS) / 1_000);
    const to = Array.from({ length: count }, () => healthy[next++ % healthy.length] ?? '');
    const extra = hung.filter((_, index) => index % 10 === tick % 10);
    const ids = await merchants.emit([...to, ...extra]);
    const atMs = nowMs();
    for (const id of ids.slice(0, count)) committedMs.set(id, atMs);
    await sleep(Math.max(0, startMs + (tick + 1) * TICK_MS - nowMs()));
  }
  const emittedForMs = nowMs() - startMs;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += 50) {
    if (Number.parseInt(await ask(port, 'count'), 10) >= committedMs.size) break;
    await sleep(50);
  }
  const arrivals = JSON.parse(await ask(port, 'arrivals')) as [string, number][];
  const arrived = new Map(arrivals.toReversed());
  const lastMs = Math.max(startMs, ...arrived.values());
  const waits = [...committedMs]
    .flatMap(([id, atMs]) => (arrived.has(id) ? [Math.max(0, (arrived.get(id) ?? 0) - atMs)] : []))
    .toSorted((one, other) => one - other);
  const quantile = (share: number) => Math.round(waits[Math.floor(waits.length * share)] ?? Number.NaN);
  return {
    perSecond: Math.round(arrived.size / (Math.max(emittedForMs, lastMs - startMs) / 1_000)),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    lost: [...committedMs.keys()].filter((id) => !arrived.has(id)).length,
    duplicates: arrivals.length - arrived.size,
  };
}

async function backlog(merchants: Merchants, port: number, endpoints: readonly string[]): Promise<number> {
  await ask(port, 'arrivals');
  const to = Array.from({ length: BACKLOG }, (_, index) => endpoints[index % endpoints.length] ?? '');
  const startMs = nowMs();
  await merchants.emit(to);
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += 20) {
    if (Number.parseInt(await ask(port, 'count'), 10) >= BACKLOG) break;
    await sleep(20);
  }
  return BACKLOG / ((nowMs() - startMs) / 1_000);
}

async function ask(port: number, what: 'arrivals' | 'count'): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/${what}`)).text();
}
