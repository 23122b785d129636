// Amounts as people read them. Every digit is kept: nothing is rounded, and no amount becomes a number.
import { parseTokenAmount, printAtomic, printSigned, token } from '@svc-pay/money';

const SHOWN_DECIMALS = 2;

/** `1234567.5` → `1,234,567.50`: groups of three, at least two decimals. */
export function grouped(decimal: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === '') return decimal;
  return `${sign === '-' ? '−' : ''}${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}.${fraction.padEnd(SHOWN_DECIMALS, '0')}`;
}

/** Smallest units in whole tokens; smallest units where the token's decimals are unknown. */
export function showAtomic(atomic: string, decimals: number | null | undefined): string {
  if (!/^-?\d+$/.test(atomic)) return atomic;
  if (decimals === null || decimals === undefined) return `${atomic} units`;
  return grouped(printSigned(BigInt(atomic), decimals));
}

/** `12.5` → `$12.50` */
export function showUsd(usd: string): string {
  const text = grouped(usd);
  return text.startsWith('−') ? `−$${text.slice(1)}` : `$${text}`;
}

/** Whole tokens as typed, in smallest units; undefined where the token can't have such an amount. */
export function typedToAtomic(typed: string, decimals: number): string | undefined {
  const read = parseTokenAmount(typed.trim().replaceAll(',', ''), token('typed', decimals));
  return read.ok && read.amount.atomic > 0n ? printAtomic(read.amount.atomic) : undefined;
}

/** Dollars as typed, as the service takes them; undefined where it would refuse them. */
export function typedToUsd(typed: string): string | undefined {
  const text = typed.trim().replace(/^\$/, '').replaceAll(',', '');
  const [, whole = '', fraction = ''] = /^(\d{1,13})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === '' || /^0*$/.test(whole + fraction)) return undefined;
  const short = whole.replace(/^0+(?=\d)/, '');
  return fraction === '' ? short : `${short}.${fraction}`;
}

/** What is left of a sum after parts of it, never below zero. */
export function rest(of: string, ...parts: readonly (string | null | undefined)[]): string {
  const left = parts.reduce((sum, part) => sum - BigInt(part ?? '0'), BigInt(of));
  return (left < 0n ? 0n : left).toString();
}

/** A part of a whole in hundredths, for the width of a bar. */
export function hundredths(part: string, whole: string): number {
  const size = (text: string) => (text.startsWith('-') ? BigInt(text.slice(1)) : BigInt(text));
  if (size(whole) === 0n) return 0;
  return Number((size(part) * 100n) / size(whole));
}
