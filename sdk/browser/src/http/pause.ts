import type { Ports } from '../ports.ts';

const FIRST_MS = 400;
const LONGEST_MS = 10_000;
const GROWTH = 1.7;

/** Grows up to ten seconds, with a quarter left to chance so that many payers do not come back together. */
export function pauseMs(ports: Ports, round: number, askedMs = 0): number {
  const chance = (ports.randomBytes(1)[0] ?? 0) / 256;
  const own = Math.min(FIRST_MS * GROWTH ** round, LONGEST_MS);
  return Math.max(askedMs, Math.round(own * (0.75 + chance / 2)));
}
