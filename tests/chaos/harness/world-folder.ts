// The folder of a chaos world and the order in which its processes end: last started, first stopped.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Progress } from '../../progress.ts';

type Stoppable = { readonly stop: () => Promise<void> };

export type WorldFolder = {
  readonly directory: string;
  readonly inside: (name: string) => string;
  readonly onStop: (...stops: readonly (() => Promise<void>)[]) => void;
  /** Registers the stop of a server as soon as the server has started. */
  readonly stoppable: <Server extends Stoppable>(starting: Promise<Server>) => Promise<Server>;
  /** Ends every process. The folder with logs and evidence is deleted unless `keep` is true. */
  readonly stop: (keep: boolean) => Promise<void>;
};

export function openWorldFolder(prefix: string): WorldFolder {
  const directory = mkdtempSync(path.join(tmpdir(), prefix));
  // PostgreSQL may run as another user, who must be able to enter the folder.
  chmodSync(directory, 0o755);
  const stops: (() => Promise<void>)[] = [];
  return {
    directory,
    inside: (name) => path.join(directory, name),
    onStop: (...added) => {
      stops.push(...added);
    },
    stoppable: async (starting) => {
      const server = await starting;
      stops.push(() => server.stop());
      return server;
    },
    stop: async (keep) => {
      for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
      if (!keep) rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Running = { readonly directory: string; readonly stop: (keep: boolean) => Promise<void> };
type Outcome = { readonly violations: readonly unknown[] };

/**
 * Runs `work` in a started world, stops the world, and keeps its folder if the run failed or found violations. A run
 * with a seeded bug is expected to find violations, so its folder is deleted (`keepEvidence: false`).
 */
export async function inWorld<World extends Running, Result extends Outcome>(
  starting: Promise<World>,
  { progress, keepEvidence }: { readonly progress: Progress; readonly keepEvidence: boolean },
  work: (world: World) => Promise<Result>,
): Promise<Result & { readonly seconds: number }> {
  const startMs = performance.now();
  const seconds = () => Math.round((performance.now() - startMs) / 1_000);
  const world = await starting;
  progress.print(`the world stands after ${seconds()} s`);
  let red = true;
  try {
    const result = await work(world);
    red = result.violations.length > 0;
    return { ...result, seconds: seconds() };
  } finally {
    const keep = red && keepEvidence;
    await world.stop(keep);
    if (keep) progress.print(`the evidence is in ${world.directory}`);
  }
}
