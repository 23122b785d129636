// Arithmetic of a chart: round steps for its grid, and where a value stands.

const STEPS = [1, 2, 2.5, 5, 10];

/** The top of the axis and the lines below it: at most four, at round values. */
export function axisOf(largest: number): { readonly top: number; readonly lines: readonly number[] } {
  if (!(largest > 0) || !Number.isFinite(largest)) return { top: 1, lines: [0] };
  const rough = largest / 3;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((one) => one * size >= rough * (1 - 1e-9)) ?? 10) * size;
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

/** Indexes of points that get a label: evenly apart, so many that they do not touch. */
export function labelled(count: number, width: number, labelWidth = 64): readonly number[] {
  const most = Math.max(2, Math.floor(width / labelWidth));
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

/** The point that is nearest to a place in the chart. */
export const nearest = (x: number, width: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor((x / Math.max(1, width)) * count)));

/** Runs of points that have a value: a line is not drawn over a gap. */
export function runsOf(values: readonly (number | null)[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.at(-1) === index - 1) last.push(index);
    else runs.push([index]);
  }
  return runs;
}
