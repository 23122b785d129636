// Whether something grows: its median in the last quarter of the run beside its median in the second. The first quarter is
// for caches and heaps to fill.
import { median } from '../../quantile.ts';
import type { Sample } from './sample-world.ts';

export type Growth = { readonly what: string; readonly early: number; readonly late: number; readonly flat: boolean };

const MEMORY_FACTOR = 1.2;
const MEMORY_SLACK_MEBIBYTES = 24;
const SOCKETS_FACTOR = 1.2;
const SOCKETS_SLACK = 8;
const BYTES_FACTOR = 1.1;
/** Autovacuum begins at a fifth; the rest is what dies while it works. */
const DEAD_SHARE_MOST = 0.5;

export function judgeFlatness(samples: readonly Sample[]): readonly Growth[] {
  const quarter = Math.floor(samples.length / 4);
  const early = samples.slice(quarter, quarter * 2);
  const late = samples.slice(samples.length - quarter);
  const grown = (what: string, read: (sample: Sample) => number, allowed: (before: number) => number): Growth => {
    const [before, after] = [median(early.map(read)), median(late.map(read))];
    return { what, early: before, late: after, flat: after <= allowed(before) };
  };
  const names = Object.keys(samples[0]?.parts ?? {});
  return [
    ...names.map((name) =>
      grown(
        `${name} MiB`,
        ({ parts }) => parts[name]?.mebibytes ?? 0,
        (before) => Math.max(before * MEMORY_FACTOR, before + MEMORY_SLACK_MEBIBYTES),
      ),
    ),
    ...names.map((name) =>
      grown(
        `${name} sockets`,
        ({ parts }) => parts[name]?.sockets ?? 0,
        (before) => Math.max(before * SOCKETS_FACTOR, before + SOCKETS_SLACK),
      ),
    ),
    grown(
      'bytes stored per payment',
      ({ bytesPerPayment }) => bytesPerPayment,
      (before) => before * BYTES_FACTOR,
    ),
    grown(
      'dead rows per live row',
      ({ deadShare }) => deadShare,
      () => DEAD_SHARE_MOST,
    ),
  ];
}
