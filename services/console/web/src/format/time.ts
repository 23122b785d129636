const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const JUST_NOW_SECONDS = 45;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 minutes ago`, `in 2 days`. */
export function relative(iso: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  const size = Math.abs(seconds);
  if (size < JUST_NOW_SECONDS) return seconds > 0 ? 'in a moment' : 'just now';
  const [unit, length] = UNITS.find(([, limit]) => size >= limit) ?? (['minute', 60] as const);
  return words.format(Math.trunc(seconds / length) || Math.sign(seconds), unit);
}

const DAY = { day: 'numeric', month: 'short' } as const;
const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;
const FORMS = {
  exact: { ...DAY, year: 'numeric', ...MINUTES, second: '2-digit', timeZoneName: 'short' },
  compact: { ...DAY, ...MINUTES },
  old: { ...DAY, year: 'numeric', ...MINUTES },
  year: { year: 'numeric' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

const made = new Map<string, Intl.DateTimeFormat>();

/** Made once: to make one takes longer than to print a whole screen of times with it. */
function formatted(form: keyof typeof FORMS, ms: number, timeZone?: string): string {
  const name = `${form} ${timeZone ?? ''}`;
  const known = made.get(name);
  const format =
    known ?? new Intl.DateTimeFormat('en-GB', { ...FORMS[form], ...(timeZone !== undefined && { timeZone }) });
  if (known === undefined) made.set(name, format);
  return format.format(ms);
}

/** `17 Nov 2026, 14:03:22 UTC+1` */
export const exact = (iso: string, timeZone?: string): string => formatted('exact', Date.parse(iso), timeZone);

const yearOf = (ms: number, timeZone: string | undefined): string =>
  timeZone === undefined ? String(new Date(ms).getFullYear()) : formatted('year', ms, timeZone);

/** `17 Nov, 14:03`, with the year where it is another than now's. */
export function compact(iso: string, nowMs: number, timeZone?: string): string {
  const ms = Date.parse(iso);
  const isOld = yearOf(ms, timeZone) !== yearOf(nowMs, timeZone);
  return formatted(isOld ? 'old' : 'compact', ms, timeZone);
}

/** Time between two steps: `+840 ms`, `+2.31 s`, `+12 min`, `+3 days`. */
export function since(ms: number): string {
  if (ms < 0) return '';
  if (ms < 1_000) return `+${ms} ms`;
  if (ms < 100_000) return `+${(ms / 1_000).toFixed(2)} s`;
  if (ms < 7_200_000) return `+${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `+${Math.round(ms / 3_600_000)} h` : `+${Math.round(ms / 86_400_000)} days`;
}

/** What `<input type="datetime-local">` holds, as the API takes it. */
export function localToIso(local: string): string | undefined {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

export function isoToLocal(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();
