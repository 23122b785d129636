// Wakes lanes that have work but no process working on them. A wake-up can be lost in a crash or with the engine's
// data; the database always knows the open work.
import {
  type Clock,
  forEachIsolated,
  LANE_DRAIN,
  type Lane,
  laneKey,
  type NoteFailure,
  type PeriodicJob,
} from '@svc-pay/core';

const EVERY_MS = 1_000;
/** Longer than any lane pauses between heartbeats. */
const SILENT_MS = 5_000;

export function createReconciler(
  /** Returns lanes with work and no heartbeat since `silentSinceMs`, and marks them awake. */
  findForgottenLanes: (silentSinceMs: number) => Promise<readonly Lane[]>,
  clock: Clock,
  wake: (drain: string, key: string) => Promise<void>,
  onFailure: NoteFailure,
): PeriodicJob {
  return {
    name: 'reconciler',
    everyMs: EVERY_MS,
    run: async () => {
      await forEachIsolated(
        (await findForgottenLanes(clock.nowMs() - SILENT_MS)).map(laneKey),
        (lane) => wake(LANE_DRAIN, lane),
        (lane, problem) => onFailure({ lane }, problem),
      );
    },
  };
}
