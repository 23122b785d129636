// The work of a lane, round by round. Each round first looks after what flies, then sends what waits. Any round may be the
// last one of this process: whatever it leaves behind stands in the database, and the next round takes it up from there.
import { checkNonce } from './check-nonce.ts';
import { ChainUnavailable } from './lane-chain.ts';
import type { LaneParts, RoundEnd } from './lane-parts.ts';
import type { HeldLane, LaneState } from './lane-store.ts';
import { sendNext } from './send-next.ts';
import { tendFlight } from './tend-flight.ts';

export async function laneRound(parts: LaneParts, held: HeldLane): Promise<RoundEnd> {
  const state = await parts.store.beat(held);
  if (state === undefined) return 'taken_over';
  try {
    return await round(parts, held, state);
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    parts.log('warn', { what: 'chain out of reach', reason: problem.message });
    return 'blocked';
  }
}

async function round(parts: LaneParts, held: HeldLane, state: LaneState): Promise<RoundEnd> {
  const tended = await tendFlight(parts, held, state, await parts.store.loadFlight(held));
  if (tended === 'taken_over') return tended;
  const { flight, landed, stalled } = tended;
  // Behind a transaction that no node takes, or a gap, everything else would only wait too.
  if (stalled) return 'blocked';
  if (state.obstacle !== null && flight.length === 0) return checkNonce(parts, held, state);
  // What can go by this lane alone goes by it even when it takes nothing else any more, or ends here by its age.
  const open = state.open || parts.chain.expiring === true;
  const room = open && flight.length < parts.pace.maxInFlight;
  const sent = room ? await sendNext(parts, held, state, flight) : 'empty';
  if (sent !== 'empty') return sent;
  if (landed > 0) return 'moved';
  return flight.length > 0 ? 'waiting' : 'empty';
}
