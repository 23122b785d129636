// Retry schedule of deliveries: about 76 hours over ten retries. An endpoint with fewer retries stops earlier in the
// list, one with more repeats the last step.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const STEPS_MS: readonly number[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.2;
const OUR_FAULT_MAX_MS = HOUR_MS;

/** Returns a number in [0, 1). */
export type Random = () => number;

/** Pause before the `retry`th retry, counted from 1, with a jitter of a fifth to either side. */
export function retryDelayMs(retry: number, random: Random): number {
  const step = STEPS_MS[Math.min(retry, STEPS_MS.length) - 1];
  if (step === undefined) throw new RangeError('retries are counted from 1');
  return spread(step, random);
}

/** Pause after the `count`th consecutive attempt that failed on our side. Such attempts use up no retries. */
export function ownFaultDelayMs(count: number, random: Random): number {
  return spread(Math.min(5 * SECOND_MS * 2 ** Math.max(count - 1, 0), OUR_FAULT_MAX_MS), random);
}

function spread(delayMs: number, random: Random): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random()));
}
