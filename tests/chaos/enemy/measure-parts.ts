// Processor time of each part of the world between two moments, in cores.
import { cpuSeconds } from '../../bench/intents/cpu-time.ts';
import type { EnemyWorld } from './enemy-world.ts';

export type PartCores = Readonly<Record<string, number>>;

/** Returns the cores of each part since the last call. */
export function createPartMeter(world: EnemyWorld): () => PartCores {
  const pids: Readonly<Record<string, readonly number[]>> = {
    api: world.apis.map((program) => program.pid()),
    settlement: world.settlements.map((program) => program.pid()),
    webhooks: world.senders.map((program) => program.pid()),
    postgres: [world.postgres.pid()],
    engine: [world.enginePid()],
    chain: [world.chain.pid],
    attackers: [world.driver.pid()],
  };
  const read = () => {
    const { user, system } = process.cpuUsage();
    const parts = Object.entries(pids).map(([name, roots]) => [name, cpuSeconds(roots)] as const);
    return { atMs: performance.now(), seconds: new Map([...parts, ['payers', (user + system) / 1e6]]) };
  };
  let last = read();
  return () => {
    const next = read();
    const elapsed = (next.atMs - last.atMs) / 1_000;
    const cores = [...next.seconds].map(([name, seconds]) => {
      const used = (seconds - (last.seconds.get(name) ?? 0)) / elapsed;
      return [name, Math.round(used * 100) / 100] as const;
    });
    last = next;
    return Object.fromEntries(cores);
  };
}
