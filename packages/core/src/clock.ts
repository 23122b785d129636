// Time comes in from here and nowhere else, so that a test can move it.

export type Clock = { readonly nowMs: () => number };

export const systemClock: Clock = { nowMs: () => Date.now() };

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
