// Parses `Retry-After` in both its forms. An unreadable value counts as absent.

const MAX_MS = 24 * 3_600_000;
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Pause that the receiver asks for: at most a day, null when the header is missing or unreadable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Math.min(Number.parseInt(text, 10) * 1_000, MAX_MS);
  if (!DATE.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.min(Math.max(atMs - nowMs, 0), MAX_MS);
}
