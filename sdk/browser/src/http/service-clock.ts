// The time by the service's clock. A payer's clock may be minutes wrong, and a signature dated by it would be refused.
import type { Ports } from '../ports.ts';
import type { Reply } from './send-once.ts';

/** Beyond this it is the answer that is doubted: a far date would make a signature valid for longer than was agreed. */
const MAX_CORRECTION_MS = 86_400_000;
/** The header is cut to whole seconds. */
const HALF_A_SECOND_MS = 500;

export function nowSecondsBy(ports: Ports, reply: Reply, heardAtMs: number): () => number {
  const gapMs = reply.dateMs === undefined ? 0 : reply.dateMs + HALF_A_SECOND_MS - heardAtMs;
  const correctionMs = Math.abs(gapMs) > MAX_CORRECTION_MS ? 0 : gapMs;
  return () => Math.floor((ports.nowMs() + correctionMs) / 1_000);
}
