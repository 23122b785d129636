import { type DeliveryDecision, isoTime, PARKED_AT_MS } from '@svc-pay/core';

/** Column `next_at`: a parked delivery waits at the time that Postgres calls infinity. */
export function nextAtOf({ nextAtMs }: DeliveryDecision): string | null {
  if (nextAtMs === null) return null;
  return nextAtMs === PARKED_AT_MS ? 'infinity' : isoTime(nextAtMs);
}
