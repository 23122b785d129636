// Rates and latencies of a run.
import { quantile } from '../../quantile.ts';
import type { Finished } from './closed-loop.ts';
import { middleRate } from './middle-rate.ts';

export type Timing = {
  readonly settled: number;
  readonly failed: number;
  /** Of the whole run: from the first request to the last completed payment. */
  readonly perSecond: number;
  /** Of the middle 70 % of completions, neither the first block nor the last. */
  readonly middlePerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** From the first request to the last completed payment. */
  readonly seconds: number;
  /** Each payment's beginning and end, in ms since the first request. */
  readonly spans: readonly (readonly [startMs: number, endMs: number])[];
};

/** `lastMs`: a payment may be completed after its request was answered. */
export function timingOf(
  settled: readonly Pick<Finished<unknown>, 'startMs' | 'endMs'>[],
  run: { readonly startMs: number; readonly lastMs?: number; readonly failed: number },
): Timing {
  const tookMs = settled.map(({ startMs, endMs }) => endMs - startMs);
  const endsMs = settled.map(({ endMs }) => endMs);
  const lastMs = endsMs.reduce((latest, endMs) => Math.max(latest, endMs), run.lastMs ?? run.startMs);
  const seconds = (lastMs - run.startMs) / 1_000;
  return {
    settled: settled.length,
    failed: run.failed,
    perSecond: seconds > 0 ? settled.length / seconds : 0,
    middlePerSecond: middleRate(endsMs),
    p50Ms: Math.round(quantile(tookMs, 0.5)),
    p99Ms: Math.round(quantile(tookMs, 0.99)),
    seconds,
    spans: settled.map(({ startMs, endMs }) => [Math.round(startMs - run.startMs), Math.round(endMs - run.startMs)]),
  };
}
