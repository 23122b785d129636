// Payers whose payments go through the solo queue: a transfer of theirs used up its gas on chain, or a single
// transaction of theirs reverted although its simulation passed. Each time they wait longer for their next payment.
import type { LaneItem } from './lane.ts';
import type { MinedItem } from './lane-chain.ts';

const MINUTE_MS = 60_000;
const SOLO_MS = 24 * 60 * MINUTE_MS;
const LONGEST_WAIT_MS = 60 * MINUTE_MS;
/** The first count whose wait is the longest. */
const MOST_STRIKES = 6;

export type SoloPayer = {
  /** How often the payer burned gas, counted up to a limit, until `untilMs` had passed. */
  readonly strikes: number;
  /** The payer goes through the solo queue until then. */
  readonly untilMs: number;
};

export type SoloTerms = SoloPayer & {
  /** The payer's next payment is not sent before. */
  readonly nextAtMs: number;
};

/** False for a payer whose authorization somebody else submitted first: that burns no gas. */
export function burnsGas({ transfer }: Pick<LaneItem, 'transfer'>, { outcome }: Pick<MinedItem, 'outcome'>): boolean {
  return transfer === undefined && (outcome === 'pull_refused' || outcome === 'reverted_alone');
}

/** Terms of a payer that burned gas. The wait doubles from two minutes to an hour and begins anew after a day. */
export function soloTerms(known: SoloPayer | undefined, nowMs: number): SoloTerms {
  const strikes = known === undefined || !isSolo(known, nowMs) ? 1 : Math.min(known.strikes + 1, MOST_STRIKES);
  const waitMs = Math.min(MINUTE_MS * 2 ** strikes, LONGEST_WAIT_MS);
  return { strikes, nextAtMs: nowMs + waitMs, untilMs: nowMs + SOLO_MS };
}

export function isSolo({ untilMs }: Pick<SoloPayer, 'untilMs'>, nowMs: number): boolean {
  return untilMs > nowMs;
}

/** `nextAtMs` is null for a payer of the solo queue that never burned gas: a contract wallet. */
export function mustWait(nextAtMs: number | null, nowMs: number): boolean {
  return nextAtMs !== null && nextAtMs > nowMs;
}
