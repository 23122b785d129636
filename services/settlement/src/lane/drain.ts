// Runs lanes as an engine drain: one step at a time per lane key. The engine only schedules the steps.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createLaneRecorder,
  LANE_DRAIN,
  type Lane,
  type LaneDeps,
  type LaneLease,
  type LaneRecorder,
  laneKey,
  laneRound,
  parseLaneKey,
} from '@svc-pay/core';
import type { Drain, Next } from '@svc-pay/engine';

/**
 * Duration of one step, which is one entry in the engine's journal: long for few entries, short to lose little work.
 */
const STEP_MS = 1_000;

/** Lanes whose relayer this process can sign for, by lane key. */
export type Lanes = ReadonlyMap<string, LaneDeps>;

export function createLaneDrain(lanes: Lanes): Drain {
  const depsOf = (lane: Lane) => {
    const deps = lanes.get(laneKey(lane));
    if (deps === undefined) throw new Error(`this process has no key for lane ${laneKey(lane)}`);
    return deps;
  };
  return {
    name: LANE_DRAIN,
    fence: async (key) => {
      const lane = parseLaneKey(key);
      return String(await depsOf(lane).store.takeOver(lane));
    },
    step: async (key, fence, attemptOver) => {
      const lane = parseLaneKey(key);
      return laneStep(depsOf(lane), { ...lane, epoch: BigInt(fence) }, attemptOver);
    },
  };
}

async function laneStep(deps: LaneDeps, lease: LaneLease, attemptOver: AbortSignal): Promise<Next> {
  const recorder = createLaneRecorder(deps, lease);
  let next: Next;
  try {
    next = await runRounds(deps, lease, recorder, attemptOver);
  } catch (problem) {
    // Recording ends before the step does. What it leaves undone is pending in the database, for the next attempt.
    await Promise.allSettled([recorder.finish()]);
    throw problem;
  }
  return (await recorder.finish()) ? next : 'idle';
}

async function runRounds(
  deps: LaneDeps,
  lease: LaneLease,
  recorder: LaneRecorder,
  attemptOver: AbortSignal,
): Promise<Next> {
  const startMs = performance.now();
  while (performance.now() - startMs < STEP_MS && !attemptOver.aborted) {
    const end = await laneRound(deps, lease, recorder);
    if (end === 'taken_over') return 'idle';
    if (end === 'blocked') return { afterMs: deps.pace.troubleMs };
    if (end === 'empty' && (await deps.store.fallAsleep(lease))) return 'idle';
    // `empty` without sleep: payments are queued, but other lanes have the share of the queue that they are in.
    if (end === 'waiting' || end === 'empty') await sleep(deps.pace.pollMs);
  }
  return 'now';
}
