// Amounts are checked before they are sent, since JSON would turn a NaN into an amount that is missing.
import { parseAtomic, parseUsd } from '@svc-pay/money';

export function isPositiveUsd(amountUsd: unknown): boolean {
  if (typeof amountUsd !== 'string' && typeof amountUsd !== 'number') return false;
  const read = parseUsd(amountUsd);
  return read.ok && read.usd > 0n;
}

export function isPositiveAtomic(amountAtomic: unknown): boolean {
  if (typeof amountAtomic !== 'string') return false;
  const read = parseAtomic(amountAtomic);
  return read.ok && read.atomic > 0n;
}
