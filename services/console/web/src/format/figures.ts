// Figures of overviews as people read them. Money is rounded here, and nowhere else: a page of figures is no account of money.

/** `12.345` → `12.35`: half a cent is rounded up. */
export function toCents(usd: string): string {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(usd) ?? [];
  if (whole === '') return usd;
  const digits = fraction.padEnd(3, '0');
  const cents = BigInt(whole + digits.slice(0, 2)) + (digits.charAt(2) >= '5' ? 1n : 0n);
  const text = cents.toString().padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** `0.984312` → `98.4 %`. What is below one percent keeps two digits that tell something. */
export function percent(share: string): string {
  const hundred = Number(share) * 100;
  if (hundred === 0 || hundred === 100) return `${hundred} %`;
  if (hundred < 0.01) return '< 0.01 %';
  // 99.97 is not all.
  if (hundred > 99.9) return '> 99.9 %';
  return `${hundred.toFixed(hundred < 1 ? 2 : 1)} %`;
}

/** `840 ms`, `2.3 s`, `4.2 min`, `3.1 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(1)} min`;
  return ms < 172_800_000 ? `${(ms / 3_600_000).toFixed(1)} h` : `${Math.round(ms / 86_400_000)} days`;
}

/** `12,345` */
export const counted = (count: number): string => count.toLocaleString('en-US');

/** `$1.2k`, for the axis of a chart. */
export function shortUsd(usd: number): string {
  const [size, unit] = usd >= 1e9 ? [1e9, 'B'] : usd >= 1e6 ? [1e6, 'M'] : usd >= 1e3 ? [1e3, 'k'] : [1, ''];
  const value = usd / size;
  return `$${Number.isInteger(value) ? value : value.toFixed(value < 1 ? 2 : 1)}${unit}`;
}
