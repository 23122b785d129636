// How long payments were slower than half of what is usual, by the times at which they completed.
import { median } from '../../quantile.ts';

const WINDOW_MS = 2_000;
const STEP_MS = 100;
const USUAL_MS = 10_000;
const FALLS_WITHIN_MS = 8_000;
/** A single good moment does not count as being back. */
const STAYS_MS = 3_000;

/**
 * Milliseconds from the stroke until completions are back at half of the median before it; 0 when they never fell below.
 * Counted in windows of two seconds, because blocks come by the second.
 */
export function measureDip(completedMs: readonly number[], strokeMs: number, untilMs: number): number {
  const inWindow = (fromMs: number) => completedMs.filter((at) => at >= fromMs && at < fromMs + WINDOW_MS).length;
  const before: number[] = [];
  for (let from = strokeMs - USUAL_MS; from <= strokeMs - WINDOW_MS; from += STEP_MS) before.push(inWindow(from));
  const enough = median(before) / 2;
  let fell: number | undefined;
  for (let at = strokeMs; fell === undefined && at <= strokeMs + FALLS_WITHIN_MS; at += STEP_MS) {
    if (inWindow(at) < enough) fell = at;
  }
  if (fell === undefined) return 0;
  let back = fell;
  for (let at = fell; at <= untilMs - WINDOW_MS && at < back + STAYS_MS; at += STEP_MS) {
    if (inWindow(at) < enough) back = at + STEP_MS;
  }
  return (back + STAYS_MS > untilMs - WINDOW_MS && inWindow(back) < enough ? untilMs : back) - strokeMs;
}
