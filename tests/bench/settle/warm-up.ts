// Payments that nobody counts, until the code of every process is compiled and its connections are open.

import { closedLoop } from './closed-loop.ts';
import { openConnection } from './connection.ts';
import type { Payers } from './payers.ts';
import { prepareCalls } from './prepare-calls.ts';
import { headOf, proveSettled } from './prove-settled.ts';
import type { SettleWorld } from './settle-world.ts';
import { timingOf } from './timing.ts';

const ROUNDS = 4;
const DRAIN_MS = 60_000;

/** Payments a second; throws when one of them failed. */
export async function warmUp(world: SettleWorld, payers: Payers, concurrency: number, forMs: number): Promise<number> {
  const calls = await prepareCalls(world, payers, concurrency * ROUNDS);
  const fromBlock = await headOf(world.rpc);
  const connections = Array.from({ length: concurrency }, () => openConnection(world.apiPort));
  const startMs = performance.now();
  const finished = await closedLoop(calls, concurrency, forMs, async ({ bytes, intentId }, worker) => {
    await connections[worker]?.ask(bytes);
    return intentId;
  });
  for (const connection of connections) connection.end();
  const { settled, otherwise } = await proveSettled(
    world,
    finished.map(({ answer }) => answer),
    fromBlock,
    DRAIN_MS,
  );
  if (settled.size < finished.length) throw new Error(`the warm-up failed: ${JSON.stringify(otherwise)}`);
  return timingOf(finished, { startMs, failed: 0 }).perSecond;
}
