// The only source of time, so that a test can control it.

export type Clock = { readonly nowMs: () => number };

export const systemClock: Clock = { nowMs: () => Date.now() };

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
