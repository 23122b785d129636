import { isoTime } from '@svc-pay/core';

/** Formats to the second, in UTC: `2026-11-15 12:00:00`. */
export function shownTime(ms: number): string {
  return isoTime(ms).slice(0, 19).replace('T', ' ');
}

export const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
