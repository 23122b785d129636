// Converts between decimal text and integers at a fixed scale: "1.5" with 6 decimals is 1500000n. Exact both ways; a
// value that does not fit is refused, never rounded. The grammar is that of a JSON number, so the text that JavaScript
// prints for a small number ("1e-7") is read too.

const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/;
const MAX_TEXT_LENGTH = 128;

export type DecimalRefusal = 'not_a_number' | 'negative' | 'too_many_decimals' | 'too_large' | 'too_long';
export type DecimalResult =
  | { readonly ok: true; readonly scaled: bigint }
  | { readonly ok: false; readonly code: DecimalRefusal };

const refuse = (code: DecimalRefusal): DecimalResult => ({ ok: false, code });

/**
 * Reads `text` times 10^`decimals` as an integer of at most `max`. Trailing zeros do not count as decimals. "-0" counts
 * as negative. Never throws.
 */
export function parseDecimal(text: string, decimals: number, max: bigint): DecimalResult {
  if (text.length > MAX_TEXT_LENGTH) return refuse('too_long');
  const match = NUMBER.exec(text);
  if (match === null) return refuse('not_a_number');
  const [, minus, whole = '', fraction = '', exponentSign = '', exponentDigits = '0'] = match;
  if (minus === '-') return refuse('negative');

  const coefficient = BigInt(whole + fraction);
  if (coefficient === 0n) return { ok: true, scaled: 0n };
  const exponent = exponentSign === '-' ? -BigInt(exponentDigits) : BigInt(exponentDigits);
  const shift = exponent - BigInt(fraction.length) + BigInt(decimals);
  // "1e999999999" must be refused before the power is computed. The coefficient is at least 1, so any power over `max`
  // is too large; it has fewer digits than the text, so no longer run of zeros can be divided out.
  if (shift > BigInt(max.toString().length)) return refuse('too_large');
  if (shift < -BigInt(MAX_TEXT_LENGTH)) return refuse('too_many_decimals');

  if (shift < 0n && coefficient % 10n ** -shift !== 0n) return refuse('too_many_decimals');
  const scaled = shift < 0n ? coefficient / 10n ** -shift : coefficient * 10n ** shift;
  return scaled > max ? refuse('too_large') : { ok: true, scaled };
}

/**
 * As `parseDecimal`, for a number from JSON: reads the shortest text that parses to the same number. From 2^53 on
 * digits may already be lost, so the number is refused; the same digits as a string may still be read.
 */
export function parseJsonNumber(value: number, decimals: number, max: bigint): DecimalResult {
  if (value < 0 || Object.is(value, -0)) return refuse('negative');
  if (value > Number.MAX_SAFE_INTEGER) return refuse('too_large');
  return parseDecimal(String(value), decimals, max);
}

/** The shortest plain text of `scaled` / 10^`decimals`: no exponent, no trailing zeros. */
export function printDecimal(scaled: bigint, decimals: number): string {
  const digits = scaled.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}

/** As `printDecimal`, for sums that may be below zero, such as reversals in the books. */
export function printSigned(scaled: bigint, decimals: number): string {
  return scaled < 0n ? `-${printDecimal(-scaled, decimals)}` : printDecimal(scaled, decimals);
}

const SIGNED = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The inverse of `printSigned`; throws for text that it does not print. */
export function readSigned(text: string, decimals: number): bigint {
  const [, sign, whole = '', fraction = ''] = SIGNED.exec(text) ?? [];
  if (sign === undefined || fraction.length > decimals)
    throw new RangeError(`${text} is no decimal number with at most ${decimals} decimals.`);
  const scaled = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
  return sign === '-' ? -scaled : scaled;
}
