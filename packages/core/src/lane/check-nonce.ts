// Without pending batches the chain and the database must name the same next nonce. If the chain is ahead, the key was
// used elsewhere: the lane skips those nonces. If the chain is behind, it lost transactions or is another chain: the
// lane stops and logs an obstacle instead of guessing.
import type { RoundResult, SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, LaneState } from './lane-store.ts';
import type { LaneObstacle } from './obstacle.ts';

/** `empty` when chain and database agree and no obstacle is left to clear. */
export async function checkNonce(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  state: LaneState,
): Promise<Extract<RoundResult, 'empty' | 'moved' | 'blocked'>> {
  const { store, chain, log } = deps;
  const { nextNonce } = state;
  const { lowest, highest } = await chain.nonceRange();
  if (highest < nextNonce) {
    await noteObstacle(deps, lease, state, 'nonce_behind', { database: nextNonce, chain: highest });
    return 'blocked';
  }
  if (lowest > nextNonce) {
    log('nonces_used_elsewhere', { from: nextNonce.toString(), to: lowest.toString() });
    await store.advanceNonce(lease, nextNonce, lowest);
    return 'moved';
  }
  if (state.obstacle === null) return 'empty';
  await noteObstacle(deps, lease, state, null);
  return 'moved';
}

export async function noteObstacle(
  { store, log }: SequencedLaneDeps,
  lease: LaneLease,
  state: LaneState,
  obstacle: LaneObstacle | null,
  nonces?: { readonly database: bigint; readonly chain: bigint },
): Promise<void> {
  if (state.obstacle === obstacle) return;
  const details = nonces && { database: nonces.database.toString(), chain: nonces.chain.toString() };
  if (obstacle === null) log('lane_resumed', { obstacle: state.obstacle });
  else log('lane_stopped', { obstacle, ...details });
  await store.noteObstacle(lease, obstacle);
}
