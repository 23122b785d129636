// With nothing in flight the chain and the database must name the same next nonce. A chain that is further on has seen the
// key used elsewhere, which costs nothing but the nonces. A chain that is behind has forgotten something, or is another
// one: then the lane stops, and says so, rather than guess.
import type { LaneParts, RoundEnd } from './lane-parts.ts';
import type { HeldLane, LaneObstacle, LaneState } from './lane-store.ts';

/** `empty` when they agree, and nothing is left of an earlier obstacle. */
export async function checkNonce(
  parts: LaneParts,
  held: HeldLane,
  state: LaneState,
): Promise<Extract<RoundEnd, 'empty' | 'moved' | 'blocked'>> {
  const { store, chain, log } = parts;
  const { nextNonce } = state;
  const { lowest, highest } = await chain.nonceRange();
  if (highest < nextNonce) {
    await noteObstacle(parts, held, state, 'nonce_behind', { database: nextNonce, chain: highest });
    return 'blocked';
  }
  if (lowest > nextNonce) {
    log('warn', { what: 'nonces were used elsewhere', from: nextNonce.toString(), to: lowest.toString() });
    await store.advanceNonce(held, nextNonce, lowest);
    return 'moved';
  }
  if (state.obstacle === null) return 'empty';
  await noteObstacle(parts, held, state, null);
  return 'moved';
}

export async function noteObstacle(
  { store, log }: LaneParts,
  held: HeldLane,
  state: LaneState,
  obstacle: LaneObstacle | null,
  nonces?: { readonly database: bigint; readonly chain: bigint },
): Promise<void> {
  if (state.obstacle === obstacle) return;
  const details = nonces && { database: nonces.database.toString(), chain: nonces.chain.toString() };
  if (obstacle === null) log('info', { what: 'the obstacle is gone', obstacle: state.obstacle });
  else log('warn', { what: 'the lane has stopped', obstacle, ...details });
  await store.noteObstacle(held, obstacle);
}
