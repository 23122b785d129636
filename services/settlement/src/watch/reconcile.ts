// Wakes lanes that have work and nobody at it. A wake-up may be lost with the process that owed it, or with everything the
// engine knew; what is to be done stands in the database.
import { type Clock, LANE_DRAIN, type Lane, laneKey } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';

const EVERY_MS = 1_000;
/** Longer than any lane pauses by itself. */
const SILENT_MS = 5_000;

export function createReconciler(
  /** Those that have work and nobody at it since then; they count as awake from now on. */
  findForgottenLanes: (silentSinceMs: number) => Promise<readonly Lane[]>,
  clock: Clock,
  wake: (drain: string, key: string) => Promise<void>,
): Pulse {
  return {
    name: 'reconciler',
    everyMs: EVERY_MS,
    beat: async () => {
      for (const lane of await findForgottenLanes(clock.nowMs() - SILENT_MS)) {
        await wake(LANE_DRAIN, laneKey(lane));
      }
    },
  };
}
