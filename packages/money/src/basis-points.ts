import { type AtomicAmount, atomicAmount } from './atomic-amount.ts';
import type { Branded } from './brand.ts';
import { divide } from './rounding.ts';

/** An integer from 0 to 10,000; 10,000 is the whole. */
export type BasisPoints = Branded<number, 'BasisPoints'>;

export const WHOLE_BPS = 10_000;

export function isBasisPoints(value: number): value is BasisPoints {
  return Number.isInteger(value) && value >= 0 && value <= WHOLE_BPS;
}

export function assertBasisPoints(value: number): asserts value is BasisPoints {
  if (!isBasisPoints(value)) throw new RangeError('basis points are an integer between 0 and 10000');
}

export function basisPoints(value: number): BasisPoints {
  assertBasisPoints(value);
  return value;
}

/** The share of an amount, rounded down. */
export function shareOf(amount: AtomicAmount, bps: BasisPoints): AtomicAmount {
  return atomicAmount(divide(amount * BigInt(bps), BigInt(WHOLE_BPS), 'down'));
}
