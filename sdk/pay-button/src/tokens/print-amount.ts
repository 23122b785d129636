// Amounts in the payer's language. Digits go in as text and never pass through a floating-point number.
import { parseAtomic, printTokenAmount, token, tokenAmount } from '@svc-pay/money';
import type { IntentToPay, UptoRequest } from '@svc-pay/sdk';
import type { Settings } from '../settings/settings.ts';
import { type ListedToken, tokenNamed } from './known-tokens.ts';

/** What the button asks for; empty when only the service knows it. */
export function printAsked({ payment: { request } }: Settings, language: string): string {
  const { usdAmount, amount, tokenShortcode }: UptoRequest = 'clientSecret' in request ? dollarsIn(request) : request;
  if (usdAmount !== undefined) return formatted(String(usdAmount), language, { style: 'currency', currency: 'USD' });
  const known = tokenNamed(tokenShortcode);
  return known === undefined || amount === undefined ? '' : printHeld(amount, known, language);
}

const dollarsIn = ({ expect: { usdAmount } = {} }: IntentToPay): UptoRequest =>
  usdAmount === undefined ? {} : { usdAmount };

/** Digits of a token's smallest unit, such as `12.5 USDC`. Cut, never rounded up. */
export function printHeld(digits: string, { symbol, decimals }: ListedToken, language: string): string {
  const read = parseAtomic(digits);
  if (!read.ok) return '';
  const text = printTokenAmount(tokenAmount(token(symbol, decimals), read.atomic));
  return `${formatted(text, language, { minimumFractionDigits: 2, maximumFractionDigits: 6, roundingMode: 'trunc' })} ${symbol}`;
}

type Format = Intl.NumberFormatOptions & { readonly roundingMode?: 'trunc' };

function formatted(decimal: string, language: string, format: Format): string {
  const digits = format.style === 'currency' ? { maximumFractionDigits: fractionOf(decimal) } : {};
  return new Intl.NumberFormat(language, { ...format, ...digits }).format(decimal as `${number}`);
}

/** Dollars show two digits after the point, or as many as were given: a tenth of a cent is not rounded away. */
function fractionOf(decimal: string): number {
  const [, fraction = ''] = decimal.split('.');
  return Math.min(Math.max(2, fraction.length), 18);
}
