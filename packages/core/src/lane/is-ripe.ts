// When a sequenced lane sends the payments that wait. A transaction that leaves later carries more payments, and has its
// fixed gas once; one that leaves earlier may reach the next block.

/**
 * From this many payments on, the gas that every transaction costs by itself (about 70,000) is less than a tenth of the
 * batch's, and a batch may leave before its longest wait. With fewer a lane does not look how full the batch would be.
 */
export const WORTH_A_LOOK = 16;

/** A batch filled to this part still waits the longest time; a fuller one waits in inverse proportion. */
const LONGEST_WAIT_UP_TO = 0.1;

export type Gathering = {
  /** Time since the oldest of the payments was queued. */
  readonly waitedMs: number;
  /** Pending transactions of the lane: the more wait for the next block, the less one more transaction gains. */
  readonly inFlight: number;
};

/** The longest time that payments wait for others to share their transaction. */
export function hasGathered({ waitedMs, inFlight }: Gathering, gatherMs: number): boolean {
  return waitedMs >= inFlight * gatherMs;
}

/** `filled`: part of the transaction's room that the payments take. A full transaction waits for nothing. */
export function isRipe(gathering: Gathering, gatherMs: number, filled: number): boolean {
  if (filled >= 1) return true;
  return hasGathered(gathering, gatherMs * Math.min(1, LONGEST_WAIT_UP_TO / filled));
}
