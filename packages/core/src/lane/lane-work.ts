// Whether a lane has work, may fall asleep, and must be woken.
import type { LaneObstacle } from './obstacle.ts';
import type { RelayerStatus } from './relayer-transitions.ts';

export type LaneWork = {
  readonly status: RelayerStatus;
  readonly obstacle: LaneObstacle | null;
  readonly hasPendingBatch: boolean;
  /** A queued payment or refund that only this relayer can send. */
  readonly hasBoundPayment: boolean;
  /** A payment, refund or stranded transfer in the queue that the relayers of its duty share. */
  readonly hasSharedItem: boolean;
};

/**
 * Its own batches and payments are work of a lane until they have a result. The shared queue and an obstacle are work
 * only while the lane is active: an obstacle of an active lane is checked until it is gone.
 */
export function laneHasWork({ status, obstacle, ...has }: LaneWork): boolean {
  if (has.hasPendingBatch || has.hasBoundPayment) return true;
  return status === 'active' && (obstacle !== null || has.hasSharedItem);
}

export type LaneSignsOfLife = {
  readonly status: RelayerStatus;
  readonly awake: boolean;
  /** Time of the last heartbeat; null before the first. */
  readonly heartbeatAtMs: number | null;
};

/**
 * A lane that no process works on: asleep, or awake without a heartbeat since `silentSinceMs` because the engine lost
 * the wake-up. With work it is forgotten, and must be woken. No process may have the key of a retired relayer.
 */
export function isUnattended({ status, awake, heartbeatAtMs }: LaneSignsOfLife, silentSinceMs: number): boolean {
  return status !== 'retired' && (!awake || heartbeatAtMs === null || heartbeatAtMs < silentSinceMs);
}
