// Health of a webhook endpoint: what the attempts say of it, and when it is switched off. Pure: the store loads the facts
// under the lock of the endpoint's row, so that a success recorded before outweighs a failure that began before it.

const DAY_MS = 86_400_000;

/** An endpoint that only fails for this long is switched off. */
export const ENDPOINT_OFF_AFTER_MS = 5 * DAY_MS;
/** An endpoint that only fails for this long is reported, and again each time that this has passed. */
export const ENDPOINT_WARN_AFTER_MS = DAY_MS;

export type EndpointOffReason = 'gone' | 'failing';

/** What one attempt says of its endpoint. `nothing`: it failed on our side. */
export type EndpointSign = {
  readonly says: 'succeeded' | 'failed' | 'gone' | 'nothing';
  readonly startedAtMs: number;
};

export type EndpointFacts = {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  /** Time of the first failure since the last success; null while deliveries succeed. */
  readonly failingSinceMs: number | null;
  /** When it was last changed, enabled or disabled. */
  readonly changedAtMs: number;
};

export type EndpointHealthDecision =
  | { readonly next: 'unchanged' }
  /** No failure counts any longer. Written only while the endpoint is enabled. */
  | { readonly next: 'healthy' }
  | { readonly next: 'failing'; readonly sinceMs: number }
  | { readonly next: 'off'; readonly reason: EndpointOffReason; readonly sinceMs: number };

/**
 * `endpoint` is undefined when nobody knows it, or when it was not loaded: a set of successes needs no facts. A failure of
 * an attempt that began before the last change of the endpoint says nothing of the endpoint as it is now.
 */
export function judgeEndpointHealth(
  endpoint: EndpointFacts | undefined,
  signs: readonly EndpointSign[],
  nowMs: number,
): EndpointHealthDecision {
  if (endpoint !== undefined && endpoint.status !== 'enabled') return { next: 'unchanged' };
  const fresh = signs.filter(({ startedAtMs }) => endpoint !== undefined && startedAtMs >= endpoint.changedAtMs);
  const sinceMs = endpoint?.failingSinceMs ?? nowMs;
  if (fresh.some(({ says }) => says === 'gone')) return { next: 'off', reason: 'gone', sinceMs };
  if (signs.some(({ says }) => says === 'succeeded')) return { next: 'healthy' };
  if (!fresh.some(({ says }) => says === 'failed')) return { next: 'unchanged' };
  if (nowMs - sinceMs >= ENDPOINT_OFF_AFTER_MS) return { next: 'off', reason: 'failing', sinceMs };
  return sinceMs === endpoint?.failingSinceMs ? { next: 'unchanged' } : { next: 'failing', sinceMs };
}

/** When an endpoint that has failed since then will be switched off, unless a delivery succeeds. */
export const endpointOffAtMs = (failingSinceMs: number): number => failingSinceMs + ENDPOINT_OFF_AFTER_MS;
