// Decides the steps of an event replay: which events it looks at, and which of their deliveries it queues again.

import { ENDPOINT_STATUS, type EndpointStatus } from '../endpoint/endpoint-transitions.ts';
import type { DeliveryDecision } from './decide-delivery.ts';

type ReplayFacts = {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: the types that the endpoint wants. */
  readonly types: readonly string[] | null;
  readonly scope: 'failed' | 'all';
  /** Null until the events are counted. */
  readonly total: number | null;
};

type ReplayedEndpoint = {
  readonly status: EndpointStatus;
  readonly createdAtMs: number;
  readonly eventTypes: readonly string[];
};

export type ReplayRange = { readonly fromMs: number; readonly toMs: number; readonly types: readonly string[] };

export type ReplayStep =
  | { readonly next: 'fail'; readonly reason: 'endpoint_deleted' }
  | { readonly next: 'count'; readonly range: ReplayRange }
  /** Queues the deliveries that have one of these statuses, and those that do not exist yet. Never a leased one. */
  | { readonly next: 'queue'; readonly range: ReplayRange; readonly statuses: readonly DeliveryDecision['status'][] };

const REPLAYED = {
  failed: ['failed'],
  all: ['pending', 'succeeded', 'failed', 'discarded'],
} as const satisfies Record<ReplayFacts['scope'], readonly DeliveryDecision['status'][]>;

export function decideReplayStep(replay: ReplayFacts, endpoint: ReplayedEndpoint | undefined): ReplayStep {
  if (endpoint === undefined || endpoint.status === ENDPOINT_STATUS.deleted)
    return { next: 'fail', reason: 'endpoint_deleted' };
  // Scope `failed` begins at the endpoint's creation: older events were never meant for it.
  const bornMs = replay.scope === 'failed' ? endpoint.createdAtMs : 0;
  const range: ReplayRange = {
    fromMs: Math.max(replay.fromMs, bornMs),
    toMs: replay.toMs,
    types: replay.types ?? endpoint.eventTypes,
  };
  return replay.total === null ? { next: 'count', range } : { next: 'queue', range, statuses: REPLAYED[replay.scope] };
}

/** A page that is not full is the last one. */
export const isLastPage = (examined: number, pageSize: number): boolean => examined < pageSize;
