// Enabling, disabling and deleting a webhook endpoint. Pure: the store loads the facts under the lock of the row, and
// whoever parks deliveries holds the same lock, so enabling finds each parked delivery.
import type { EndpointFacts } from './endpoint-health.ts';

type SwitchedEndpoint = {
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: 'merchant' | null;
  readonly failingSinceMs: number | null;
};

export type EnableDecision = SwitchedEndpoint & {
  readonly failingSinceMs: null;
  /** Deliveries given up since then are sent again, with those that are parked. */
  readonly missedSinceMs: number;
};

type Known = Pick<EndpointFacts, 'status' | 'failingSinceMs'>;

/** Undefined unless the endpoint is disabled. */
export function decideEnable({ status, failingSinceMs }: Known, nowMs: number): EnableDecision | undefined {
  if (status !== 'disabled') return undefined;
  return { status: 'enabled', disabledReason: null, failingSinceMs: null, missedSinceMs: failingSinceMs ?? nowMs };
}

/** Undefined unless the endpoint is enabled. The time since which it fails stays: enabling asks for it. */
export function decideDisable({ status, failingSinceMs }: Known): SwitchedEndpoint | undefined {
  return status === 'enabled' ? { status: 'disabled', disabledReason: 'merchant', failingSinceMs } : undefined;
}
