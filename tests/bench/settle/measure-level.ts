// Settlements through HTTP under one load, with all that belongs to them: the meters run until the last one is completed,
// its webhook has arrived and its transaction is final.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Costs } from '../meters/costs.ts';
import { startMeters } from '../meters/meters.ts';
import { type Connection, openConnection } from './connection.ts';
import type { PreparedCalls } from './prepare-calls.ts';
import { headOf, proveSettled } from './prove-settled.ts';
import { type Load, runLoad } from './run-load.ts';
import type { SettleWorld } from './settle-world.ts';
import { type Timing, timingOf } from './timing.ts';

const DRAIN_MS = 60_000;
const LOOK_MS = 100;

export type Level = Timing & {
  readonly load: Load;
  /** Of its settlement, without the intent. */
  readonly costs: Costs;
  readonly intent: Costs;
  /** With the intent. */
  readonly cpuMs: number;
  /** Settlements whose webhook had not arrived in time. */
  readonly unheard: number;
  /** From the last completed payment until the last of them was final; NaN when one was not in time. */
  readonly finalSeconds: number;
  readonly notes: Readonly<Record<string, number>>;
};

export async function measureLevel(
  world: SettleWorld,
  { calls, intent }: PreparedCalls,
  load: Load,
  forMs: number,
): Promise<Level> {
  const fromBlock = await headOf(world.rpc);
  await ask(world, 'arrivals');
  const { pids, besidePids, pool, rpc, fronts } = world;
  const self = { name: 'load', charged: false };
  const meters = await startMeters({ charged: pids, beside: besidePids, self, pool, rpc, fronts }, intent.rows);
  const connections: Connection[] = [];
  const startMs = performance.now();
  const finished = await runLoad(load, calls, forMs, async ({ bytes, intentId }, slot) => {
    const connection = (connections[slot] ??= openConnection(world.apiPort));
    return { intentId, status: statusIn(await connection.ask(bytes)) };
  });
  for (const connection of connections) connection.end();
  const intentIds = finished.map(({ answer }) => answer.intentId);
  const proof = await proveSettled(world, intentIds, fromBlock, DRAIN_MS);
  const settled = finished.filter(({ answer }) => proof.settled.has(answer.intentId));
  const told = settled.every(({ answer }) => answer.status === 'succeeded');
  const failed = finished.length - settled.length;
  const timing = timingOf(settled, { startMs, failed, ...(!told && { lastMs: proof.endedMs }) });
  const heard = await waitForArrivals(world, proof.settled.size);
  const finalMs = await waitForFinal(world, proof.batchIds);
  const { costs } = await meters.stop(settled.length);
  const notes: Record<string, number> = { ...proof.otherwise };
  for (const { answer } of finished) {
    if (answer.status !== 'succeeded')
      notes[`answered ${answer.status}`] = (notes[`answered ${answer.status}`] ?? 0) + 1;
  }
  return {
    ...timing,
    load,
    costs,
    intent: intent.costs,
    cpuMs: costs.cpuMs + intent.costs.cpuMs,
    unheard: settled.length - heard,
    finalSeconds: (finalMs - startMs) / 1_000 - timing.seconds,
    notes,
  };
}

function statusIn({ code, body }: { readonly code: number; readonly body: string }): string {
  if (code !== 200) return `HTTP ${code} ${/"error":"(\w+)"/.exec(body)?.[1] ?? ''}`;
  const { status, error } = JSON.parse(body) as { readonly status: string; readonly error?: string };
  return error === undefined ? status : `${status} ${error}`;
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

/** When every transaction of theirs was recorded as final. */
async function waitForFinal({ pool }: SettleWorld, batchIds: ReadonlySet<string>): Promise<number> {
  for (const untilMs = performance.now() + DRAIN_MS; performance.now() < untilMs; await sleep(LOOK_MS)) {
    const { rows } = await pool.query<{ open: boolean }>(
      `select exists (select from svc.batches where id = any ($1) and status <> 'finalized') as open`,
      [[...batchIds]],
    );
    if (rows[0]?.open === false) return performance.now();
  }
  return Number.NaN;
}

async function ask({ receiverPort }: SettleWorld, what: 'arrivals' | 'count'): Promise<string> {
  return (await fetch(`http://127.0.0.1:${receiverPort}/${what}`)).text();
}
