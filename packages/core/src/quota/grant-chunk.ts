// What one ask does to a bucket. The store computes the same in SQL, because a round is one statement; a test of the store
// compares the two.
import type { ChunkAsk, ChunkGrant } from './quota.ts';

/** A bucket cannot be overdrawn by more than its whole size, so that nobody is shut out for longer than two windows. */
export const MAX_FULL_IN_WINDOWS = 2;

/** `fullInMs`: time until the bucket is full before the ask; 0 or less for a full one. */
export function grantChunk(fullInMs: number, { name, quota, charge, wanted }: ChunkAsk): ChunkGrant {
  const stepMs = quota.windowMs / quota.size;
  const charged = Math.max(0, Math.max(0, fullInMs) + charge * stepMs);
  const bounded = Math.min(charged, MAX_FULL_IN_WINDOWS * quota.windowMs);
  // A thousandth of tolerance for rounding.
  const room = Math.floor((quota.windowMs - bounded) / stepMs + 0.001);
  const granted = Math.max(0, Math.min(wanted, room));
  return { name, granted, fullInMs: bounded + granted * stepMs };
}
