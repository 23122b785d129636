// Decides the next step of a delivery after an attempt, and what the attempt says of its endpoint. Pure: time and
// randomness are passed in.
import type { EndpointSign } from '../endpoint/endpoint-health.ts';
import type { AttemptRecord, DeliveryVerdict, LeasedDelivery } from './delivery.ts';
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
  const retry = chargedBefore + 1;
  // 410 switches the endpoint off, and the delivery waits for it: it is never given up for that answer.
  const givenUp = retry > endpoint.retryCount && responseStatus !== GONE;
  if (givenUp) return { next: 'failed', reason: 'retries_exhausted' };
  const overrun = outcome === 'timed_out' || responseStatus === TOO_MANY;
  const asked = responseStatus === TOO_MANY || responseStatus === UNAVAILABLE ? (retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(retryDelayMs(retry, random), overrun ? BREATHER_MS : 0, asked);
  return { next: 'again', atMs: nowMs + delayMs, charged: true };
}

/** What the attempt says of its endpoint. */
export function signOf(record: Pick<AttemptRecord, 'outcome' | 'responseStatus'>): EndpointSign['says'] {
  if (record.outcome === 'succeeded') return 'succeeded';
  if (record.outcome === 'our_fault') return 'nothing';
  return record.responseStatus === GONE ? 'gone' : 'failed';
}
