// Amounts as a page shows them. Digits go in as text and never pass through a floating-point number.

import type { TokenEntry } from '@svc-pay/core';
import { type AtomicAmount, printTokenAmount, printUsd, tokenAmount, type Usd } from '@svc-pay/money';

const LANGUAGE = 'en-US';
const MOST_DECIMALS = 18;

export function showUsd(dollars: Usd): string {
  return formatted(printUsd(dollars), { style: 'currency', currency: 'USD' });
}

/** Every digit: what is shown is what is signed. */
export function showToken({ unit, symbol }: TokenEntry, amount: AtomicAmount): string {
  return `${formatted(printTokenAmount(tokenAmount(unit, amount)), {})} ${symbol}`;
}

function formatted(decimal: string, format: Intl.NumberFormatOptions): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: MOST_DECIMALS };
  return new Intl.NumberFormat(LANGUAGE, { ...format, ...digits }).format(decimal as `${number}`);
}
