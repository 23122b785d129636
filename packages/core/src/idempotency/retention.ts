const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;

/** Idempotency keys that were stored before this time are forgotten, with their answers. */
export function keysForgottenBefore(nowMs: number): number {
  return nowMs - KEPT_MS;
}
