const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const FORM = /^(\d{1,7})([smhd])$/;

/** Parses `90s`, `30m`, `24h`, `7d` or `0` to milliseconds; undefined for anything else. */
export function readDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const [, digits, unit] = FORM.exec(text) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 10) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
