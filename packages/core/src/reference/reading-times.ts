// When a reference is read next: often after a wallet asked for a transaction, rarely later, and for some days after the
// intent has ended, because a payer may keep the key and pay late.

const EVERY_AT_LEAST_MS = 1_000;
const EVERY_AT_MOST_MS = 3_600_000;
/** A reference of an hour is read every minute. */
const SHARE_OF_AGE = 60;
/** Payments that come later than this after the end of an intent are not found by themselves. */
export const REFERENCE_KEPT_MS = 7 * 86_400_000;

/** What was in a block before the intent ended is final, and listed, so long after the end. */
export const FINAL_AFTER_END_MS = 60_000;

/** Null when it need not be read again. */
export function nextReadAtMs(
  { openedAtMs, expiresAtMs }: { readonly openedAtMs: number; readonly expiresAtMs: number },
  nowMs: number,
): number | null {
  if (nowMs > Math.max(openedAtMs, expiresAtMs) + REFERENCE_KEPT_MS) return null;
  const share = Math.floor((nowMs - openedAtMs) / SHARE_OF_AGE);
  const next = nowMs + Math.min(Math.max(share, EVERY_AT_LEAST_MS), EVERY_AT_MOST_MS);
  // The intent waits for this reading before it expires.
  const finalAtMs = expiresAtMs + FINAL_AFTER_END_MS;
  return nowMs < finalAtMs ? Math.min(next, finalAtMs) : next;
}
