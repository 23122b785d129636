// The run as the tables of the page on performance.
import type { SellerLevel } from './measure-seller.ts';

export function tabulateSellers(
  machine: string,
  ours: readonly SellerLevel[],
  reference: readonly SellerLevel[],
  figures: Readonly<Record<string, number>>,
): readonly string[] {
  const concurrencies = [...new Set([...reference, ...ours].map(({ concurrency }) => concurrency))];
  const cells = (levels: readonly SellerLevel[], concurrency: number) => {
    const level = levels.find((candidate) => candidate.concurrency === concurrency);
    if (level === undefined) return '| | | | ';
    const { seller = 0, ...facilitator } = level.cpuMs;
    const cpuMs = Object.values(facilitator).reduce((sum, part) => sum + part, 0);
    return `| ${level.perSecond.toFixed(1)} | ${level.p50Ms.toFixed(0)} | ${cpuMs.toFixed(2)} | ${seller.toFixed(2)} `;
  };
  return [
    `Seen on ${machine}. Each level ran for ${figures['seconds']} seconds. CPU is in ms for a payment.`,
    '',
    '| at once | ours, a second | p50 ms | CPU | its seller | stock, a second | p50 ms | CPU | its seller |',
    '|---|---|---|---|---|---|---|---|---|',
    ...concurrencies.map((level) => `| ${level} ${cells(ours, level)}${cells(reference, level)}|`),
    '',
    '| | seen | asked for |',
    '|---|---|---|',
    `| payments that failed | ${figures['failed']} | 0 |`,
    `| best rate to the stock facilitator’s best | ${figures['ratio_saturated']} | at least 2.5 |`,
    `| p50 at 32 at once to the stock facilitator’s | ${figures['p50_ratio_32']} | at most 1.1 |`,
  ];
}
