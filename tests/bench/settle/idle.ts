// What an installation costs that has nothing to do: everything runs, nobody pays.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Costs } from '../meters/costs.ts';
import { ROWS_TOLD_MS, type WrittenRows } from '../meters/database-counts.ts';
import { startMeters } from '../meters/meters.ts';
import type { SettleWorld } from './settle-world.ts';

/** By then the services are no longer new to the engine, and all that was paid before is final, compared and delivered. */
const OVER_MS = 75_000;

/** Of one second, where `Costs` says of one payment. */
export async function measureIdle(world: SettleWorld, seconds: number): Promise<Costs> {
  const { pids, besidePids, pool, rpc, fronts } = world;
  await sleep(OVER_MS);
  const self = { name: 'load', charged: false };
  const meters = await startMeters({ charged: pids, beside: besidePids, self, pool, rpc, fronts });
  await sleep(seconds * 1_000);
  const { costs } = await meters.stop(seconds);
  // Row versions are read later than all else, and those of that time are among them.
  const share = seconds / (seconds + ROWS_TOLD_MS / 1_000);
  const ofSeconds = ({ inserted, updated, updatedInPage, deleted }: WrittenRows): WrittenRows => ({
    inserted: inserted * share,
    updated: updated * share,
    updatedInPage: updatedInPage * share,
    deleted: deleted * share,
  });
  const byTable = Object.entries(costs.rowVersionsOf.byTable).map(([table, rows]) => [table, ofSeconds(rows)]);
  return {
    ...costs,
    rowVersions: costs.rowVersions * share,
    rowVersionsOf: { ...ofSeconds(costs.rowVersionsOf), byTable: Object.fromEntries(byTable) },
  };
}
