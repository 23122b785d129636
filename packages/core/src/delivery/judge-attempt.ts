// Decides the next step of a delivery after an attempt. Pure: time and randomness are passed in.
import { type AttemptRecord, type DeliveryVerdict, ENDPOINT_OFF_AFTER_MS, type LeasedDelivery } from './delivery.ts';
import { ownFaultDelayMs, type Random, retryDelayMs } from './retry-schedule.ts';

const GONE = 410;
const TOO_MANY = 429;
const UNAVAILABLE = 503;
/** Shortest pause for an endpoint that reports overload. */
const BREATHER_MS = 60_000;

export function judgeAttempt(
  { attempt, chargedBefore, endpoint }: Pick<LeasedDelivery, 'attempt' | 'chargedBefore' | 'endpoint'>,
  { outcome, responseStatus, retryAfterMs }: Pick<AttemptRecord, 'outcome' | 'responseStatus' | 'retryAfterMs'>,
  nowMs: number,
  random: Random,
): DeliveryVerdict {
  if (outcome === 'succeeded') return { next: 'succeeded' };
  if (outcome === 'our_fault') {
    return { next: 'again', atMs: nowMs + ownFaultDelayMs(attempt - chargedBefore, random), charged: false };
  }
  if (responseStatus === GONE) return { next: 'parked', reason: 'gone' };
  if (endpoint.failingSinceMs !== null && nowMs - endpoint.failingSinceMs >= ENDPOINT_OFF_AFTER_MS) {
    return { next: 'parked', reason: 'failing' };
  }
  const retry = chargedBefore + 1;
  if (retry > endpoint.retryCount) return { next: 'failed', reason: 'retries_exhausted' };
  const overrun = outcome === 'timed_out' || responseStatus === TOO_MANY;
  const asked = responseStatus === TOO_MANY || responseStatus === UNAVAILABLE ? (retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(retryDelayMs(retry, random), overrun ? BREATHER_MS : 0, asked);
  return { next: 'again', atMs: nowMs + delayMs, charged: true };
}
