// Settlements through HTTP at one concurrency, with all that belongs to them: until the last one is completed and its
// webhook has arrived, the processes' CPU is counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../quantile.ts';
import { cpuSeconds } from '../intents/cpu-time.ts';
import { closedLoop } from './closed-loop.ts';
import { openConnection } from './connection.ts';
import { middleRate } from './middle-rate.ts';
import type { SettleCall } from './prepare-calls.ts';
import { headOf, proveSettled } from './prove-settled.ts';
import type { PartName, SettleWorld } from './settle-world.ts';

const DRAIN_MS = 60_000;
const LOOK_MS = 100;

export type Level = {
  readonly concurrency: number;
  readonly settled: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  readonly cpuMs: number;
  readonly cpuMsOf: Readonly<Record<PartName, number>>;
  /** What the database wrote ahead for one payment, in bytes. */
  readonly walBytes: number;
  /** Settlements whose webhook had not arrived in time. */
  readonly unheard: number;
  readonly notes: Readonly<Record<string, number>>;
};

export async function measureLevel(
  world: SettleWorld,
  calls: readonly SettleCall[],
  concurrency: number,
  forMs: number,
): Promise<Level> {
  const fromBlock = await headOf(world.rpc);
  await ask(world, 'arrivals');
  const connections = Array.from({ length: concurrency }, () => openConnection(world.apiPort));
  const walBefore = await walOf(world);
  const before = cpuOf(world);
  const startMs = performance.now();
  const finished = await closedLoop(calls, concurrency, forMs, async ({ bytes, intentId }, worker) => {
    const connection = connections[worker];
    if (connection === undefined) throw new Error('a worker without a connection');
    return { intentId, status: statusIn(await connection.ask(bytes)) };
  });
  const seconds = (performance.now() - startMs) / 1_000;
  for (const connection of connections) connection.end();
  const proof = await proveSettled(
    world,
    finished.map(({ answer }) => answer.intentId),
    fromBlock,
    DRAIN_MS,
  );
  const heard = await waitForArrivals(world, proof.settled.size);
  const after = cpuOf(world);
  const settled = finished.filter(({ answer }) => proof.settled.has(answer.intentId));
  const notes: Record<string, number> = { ...proof.otherwise };
  for (const { answer } of finished) {
    if (answer.status !== 'succeeded')
      notes[`answered ${answer.status}`] = (notes[`answered ${answer.status}`] ?? 0) + 1;
  }
  const cpuMsOf = Object.fromEntries(
    Object.entries(after).map(([part, used]) => [part, ((used - before[part as PartName]) * 1_000) / settled.length]),
  ) as Record<PartName, number>;
  return {
    concurrency,
    settled: settled.length,
    failed: finished.length - settled.length,
    perSecond: middleRate(settled.map(({ endMs }) => endMs)),
    p50Ms: Math.round(
      quantile(
        settled.map(({ startMs: began, endMs }) => endMs - began),
        0.5,
      ),
    ),
    p99Ms: Math.round(
      quantile(
        settled.map(({ startMs: began, endMs }) => endMs - began),
        0.99,
      ),
    ),
    seconds,
    cpuMs: Object.values(cpuMsOf).reduce((sum, part) => sum + part, 0),
    cpuMsOf,
    walBytes: ((await walOf(world)) - walBefore) / settled.length,
    unheard: settled.length - heard,
    notes,
  };
}

function statusIn({ code, body }: { readonly code: number; readonly body: string }): string {
  if (code !== 200) return `HTTP ${code}`;
  const { status, error } = JSON.parse(body) as { readonly status: string; readonly error?: string };
  return error === undefined ? status : `${status} ${error}`;
}

function cpuOf({ pids }: SettleWorld): Record<PartName, number> {
  const entries = Object.entries(pids).map(([part, pid]) => [part, cpuSeconds([pid])]);
  return Object.fromEntries(entries) as Record<PartName, number>;
}

async function walOf({ pool }: SettleWorld): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("select (pg_current_wal_lsn() - '0/0')::text as bytes");
  return Number.parseInt(rows[0]?.bytes ?? '0', 10);
}

async function waitForArrivals(world: SettleWorld, count: number): Promise<number> {
  const untilMs = performance.now() + DRAIN_MS;
  let arrived = 0;
  while (performance.now() < untilMs) {
    arrived = Number.parseInt(await ask(world, 'count'), 10);
    if (arrived >= count) break;
    await sleep(LOOK_MS);
  }
  return Math.min(arrived, count);
}

async function ask({ receiverPort }: SettleWorld, what: 'arrivals' | 'count'): Promise<string> {
  return (await fetch(`http://127.0.0.1:${receiverPort}/${what}`)).text();
}
