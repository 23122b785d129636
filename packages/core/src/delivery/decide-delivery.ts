// Decides what becomes of a delivery: after a report, by what the endpoint is by then, or because its endpoint gets no
// events now.
import type { EndpointFacts } from '../endpoint/endpoint-health.ts';
import { ENDPOINT_STATUS } from '../endpoint/endpoint-transitions.ts';
import type { DeliveryVerdict } from './delivery.ts';

/** `nextAtMs` of a delivery that waits for its endpoint to be enabled. */
export const PARKED_AT_MS = Number.POSITIVE_INFINITY;

export type DeliveryDecision = {
  readonly status: 'pending' | 'succeeded' | 'failed' | 'discarded';
  /** Null for a delivery that is finished. */
  readonly nextAtMs: number | null;
  readonly reason: string | null;
};

type Status = EndpointFacts['status'];

/** The endpoint is disabled or deleted; undefined: nobody knows it. */
export function decideUnsendable(status: Exclude<Status, 'enabled'> | undefined): DeliveryDecision {
  if (status === ENDPOINT_STATUS.disabled) return { status: 'pending', nextAtMs: PARKED_AT_MS, reason: null };
  const reason = status === ENDPOINT_STATUS.deleted ? 'endpoint_deleted' : 'endpoint_unknown';
  return { status: 'discarded', nextAtMs: null, reason };
}

/** `endpoint` is the status after the report changed it. It decides about everything but a success. */
export function decideDelivery(verdict: DeliveryVerdict, endpoint: Status | undefined): DeliveryDecision {
  if (verdict.next === 'succeeded') return { status: 'succeeded', nextAtMs: null, reason: null };
  if (endpoint !== 'enabled') return decideUnsendable(endpoint);
  if (verdict.next === 'failed') return { status: 'failed', nextAtMs: null, reason: verdict.reason };
  return { status: 'pending', nextAtMs: verdict.atMs, reason: null };
}

/** True for an attempt that uses up no retry of the endpoint. */
export const isUncharged = (verdict: DeliveryVerdict): boolean => verdict.next === 'again' && !verdict.charged;

/** Attempts before the current one that used up a retry. */
export const chargedBefore = (attemptCount: number, unchargedCount: number): number =>
  attemptCount - 1 - unchargedCount;
