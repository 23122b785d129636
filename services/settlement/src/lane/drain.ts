// Lanes as the engine runs them: one at a time per key, step by step. The engine only says whose turn it is.
import { setTimeout as sleep } from 'node:timers/promises';
import { type HeldLane, LANE_DRAIN, type Lane, type LaneParts, laneKey, laneRound, parseLaneKey } from '@svc-pay/core';
import type { Drain, Next } from '@svc-pay/engine';

/** A step is one entry in the engine's journal: long enough to be few, short enough to lose little. */
const STEP_MS = 1_000;

/** By lane key: the lanes whose relayer this process can sign for. */
export type Lanes = ReadonlyMap<string, LaneParts>;

export function createLaneDrain(lanes: Lanes): Drain {
  const partsOf = (lane: Lane) => {
    const parts = lanes.get(laneKey(lane));
    if (parts === undefined) throw new Error(`this process holds no key for ${laneKey(lane)}`);
    return parts;
  };
  return {
    name: LANE_DRAIN,
    fence: async (key) => {
      const lane = parseLaneKey(key);
      return String(await partsOf(lane).store.takeOver(lane));
    },
    step: async (key, fence, attemptOver) => {
      const lane = parseLaneKey(key);
      return laneStep(partsOf(lane), { ...lane, epoch: BigInt(fence) }, attemptOver);
    },
  };
}

async function laneStep(parts: LaneParts, held: HeldLane, attemptOver: AbortSignal): Promise<Next> {
  const startMs = performance.now();
  while (performance.now() - startMs < STEP_MS && !attemptOver.aborted) {
    const end = await laneRound(parts, held);
    if (end === 'taken_over') return 'idle';
    if (end === 'blocked') return { afterMs: parts.pace.troubleMs };
    if (end === 'waiting') await sleep(parts.pace.pollMs);
    if (end === 'empty' && (await parts.store.fallAsleep(held))) return 'idle';
  }
  return 'now';
}
