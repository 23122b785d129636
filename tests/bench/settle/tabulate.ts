// The run as the tables of the page on performance.
import type { Level } from './measure-level.ts';
import type { ReferenceLevel } from './reference.ts';

export function tabulate(
  machine: string,
  ours: readonly Level[],
  reference: readonly ReferenceLevel[],
  figures: Readonly<Record<string, number>>,
): readonly string[] {
  const at = (concurrency: number) => ({
    ours: ours.find((level) => level.concurrency === concurrency),
    reference: reference.find((level) => level.concurrency === concurrency),
  });
  const concurrencies = [...new Set([...ours, ...reference].map(({ concurrency }) => concurrency))].toSorted(
    (one, other) => one - other,
  );
  const cell = (value: number | undefined, digits = 0) => (value === undefined ? '' : value.toFixed(digits));
  const shown = (name: string) => (figures[name] === undefined ? '–' : String(figures[name]));
  return [
    `Seen on ${machine}. Each level ran for ${figures['seconds']} seconds.`,
    '',
    '| at once | ours, a second | p50 ms | p99 ms | CPU ms | failed | facilitator, a second | p50 ms | CPU ms |',
    '|---|---|---|---|---|---|---|---|---|',
    ...concurrencies.map((concurrency) => {
      const { ours: own, reference: other } = at(concurrency);
      return `| ${concurrency} | ${cell(own?.perSecond, 1)} | ${cell(own?.p50Ms)} | ${cell(own?.p99Ms)} | ${cell(own?.cpuMs, 2)} | ${cell(own?.failed)} | ${cell(other?.perSecond, 1)} | ${cell(other?.p50Ms)} | ${cell(other?.cpuMs, 2)} |`;
    }),
    '',
    '| | seen | asked for |',
    '|---|---|---|',
    `| settlements that failed | ${shown('failed')} | 0 |`,
    `| best rate to the facilitator’s best | ${shown('ratio_saturated')} | 5, better 8 |`,
    `| p50 at 32 at once to the facilitator’s | ${shown('p50_ratio_32')} | at most 1.25 |`,
    `| CPU of a payment at the best rate, ms | ${shown('cpu_ms_per_payment')} | at most 2.2 |`,
    `| to the same batches sent bare (${shown('bare_per_s')}/s) | ${shown('ratio_bare')} | 0.10, better 0.15 |`,
    `| written ahead by the database for a payment, bytes | ${shown('wal_bytes_per_payment')} | |`,
    `| of the CPU the engine’s share | ${shown('engine_share')} | |`,
    `| beside: empty durable handlers a second | ${shown('engine_per_s')} | |`,
    `| beside: single-row commits a second | ${shown('commits_per_s')} | |`,
    ...partsOf(ours, figures['ours_at']),
  ];
}

/** Whose CPU it is, at the level with the best rate. */
function partsOf(ours: readonly Level[], concurrency: number | undefined): readonly string[] {
  const best = ours.find((level) => level.concurrency === concurrency);
  if (best === undefined) return [];
  return [
    '',
    `| CPU of a payment at ${best.concurrency} at once | ms |`,
    '|---|---|',
    ...Object.entries(best.cpuMsOf).map(([part, used]) => `| ${part} | ${used.toFixed(2)} |`),
  ];
}
