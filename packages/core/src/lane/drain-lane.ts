// Drains a lane in rounds. Each round reconciles pending batches, then sends queued payments, while the recorder may still
// record what an earlier round found mined. A process may stop at any point: all state is in the database, and the next
// round continues from there.
import { expiringLane } from './expiring-lane.ts';
import { ChainUnavailable } from './lane-chain.ts';
import type { LaneDeps, LaneStrategy, RoundResult } from './lane-deps.ts';
import { createInlineRecorder, createRecorderBeside, type LaneRecorder } from './lane-recorder.ts';
import type { LaneLease, LaneState } from './lane-store.ts';
import { reconcilePendingBatches } from './reconcile-pending.ts';
import { sequencedLane } from './sequenced-lane.ts';

export type { LaneRecorder } from './lane-recorder.ts';

export async function laneRound(
  deps: LaneDeps,
  lease: LaneLease,
  recorder: LaneRecorder = createInlineRecorder(deps, lease),
): Promise<RoundResult> {
  const state = await deps.store.heartbeat(lease);
  if (state === undefined) return 'taken_over';
  try {
    return await round(deps, lease, state, recorder);
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    deps.log('lane_chain_unreachable', { reason: problem.message });
    return 'blocked';
  }
}

async function round(deps: LaneDeps, lease: LaneLease, state: LaneState, recorder: LaneRecorder): Promise<RoundResult> {
  const strategy = strategyOf(deps, lease, state);
  const reconciled = await reconcilePendingBatches(deps, strategy, lease, recorder);
  if (reconciled === 'taken_over') return reconciled;
  const { pendingBatches, recording, unmined, landed, stalled } = reconciled;
  if (stalled) return 'blocked';
  const sent = await strategy.sendQueued({ pendingBatches, recording, unmined });
  if (sent !== 'empty') return sent;
  if (landed > 0) return 'moved';
  return pendingBatches.length > 0 ? 'waiting' : 'empty';
}

/**
 * A sequenced lane records beside its rounds. An expiring lane has many batches of one payment each, and the room that it
 * fills is what recorded ones leave.
 */
export function createLaneRecorder(deps: LaneDeps, lease: LaneLease): LaneRecorder {
  return deps.chain.kind === 'sequenced' ? createRecorderBeside(deps, lease) : createInlineRecorder(deps, lease);
}

function strategyOf(deps: LaneDeps, lease: LaneLease, state: LaneState): LaneStrategy {
  const { chain } = deps;
  return chain.kind === 'sequenced'
    ? sequencedLane({ ...deps, chain }, lease, state)
    : expiringLane({ ...deps, chain }, lease, state);
}
