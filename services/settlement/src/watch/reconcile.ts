// Wakes lanes that have work and nobody at it. A wake-up may be lost with the process that owed it, or with everything the
// engine knew; what is to be done stands in the database.
import { type Clock, LANE_DRAIN, laneKey } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { findForgottenLanes } from '@svc-pay/postgres/lanes';
import type pg from 'pg';

const EVERY_MS = 1_000;
/** Longer than any lane pauses by itself. */
const SILENT_MS = 5_000;

export function createReconciler(
  pool: pg.Pool,
  clock: Clock,
  wake: (drain: string, key: string) => Promise<void>,
): Pulse {
  return {
    name: 'reconciler',
    everyMs: EVERY_MS,
    beat: async () => {
      for (const lane of await findForgottenLanes(pool, clock.nowMs() - SILENT_MS)) {
        await wake(LANE_DRAIN, laneKey(lane));
      }
    },
  };
}
