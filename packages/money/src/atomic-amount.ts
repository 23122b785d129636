// An amount in a token's smallest unit, as chains count: an integer from 0 to 2^256 - 1.
// The text form is canonical, so equal amounts are equal strings on the wire and in signatures.

import type { Branded } from './brand.ts';

export type AtomicAmount = Branded<bigint, 'AtomicAmount'>;

export const MAX_ATOMIC = 2n ** 256n - 1n;
const MAX_ATOMIC_DIGITS = 78;

export function isAtomicAmount(value: bigint): value is AtomicAmount {
  return value >= 0n && value <= MAX_ATOMIC;
}

export function assertAtomicAmount(value: bigint): asserts value is AtomicAmount {
  if (!isAtomicAmount(value)) throw new RangeError('an atomic amount lies between 0 and 2^256 - 1');
}

export function atomicAmount(value: bigint): AtomicAmount {
  assertAtomicAmount(value);
  return value;
}

export type AtomicRefusal = 'not_canonical' | 'too_large';
export type AtomicResult =
  | { readonly ok: true; readonly atomic: AtomicAmount }
  | { readonly ok: false; readonly code: AtomicRefusal };

/** Reads decimal digits without sign, leading zero, space, fraction or exponent. Never throws. */
export function parseAtomic(text: string): AtomicResult {
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return { ok: false, code: 'not_canonical' };
  // Parsing digits costs more than linear time, so the length is checked first.
  if (text.length > MAX_ATOMIC_DIGITS) return { ok: false, code: 'too_large' };
  const value = BigInt(text);
  return isAtomicAmount(value) ? { ok: true, atomic: value } : { ok: false, code: 'too_large' };
}

export function printAtomic(atomic: AtomicAmount): string {
  return atomic.toString();
}

/** Throws beyond 2^256 - 1. */
export function addAtomic(a: AtomicAmount, b: AtomicAmount): AtomicAmount {
  return atomicAmount(a + b);
}

/** Throws when `b` is more than `a`: an amount is never negative. */
export function subtractAtomic(a: AtomicAmount, b: AtomicAmount): AtomicAmount {
  return atomicAmount(a - b);
}
