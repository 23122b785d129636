// A run in words, and as one line of JSON for whoever counts.
import { writeFileSync } from 'node:fs';
import { tellRefunds } from '../refunds/tell-refunds.ts';
import { drawMatrix } from './draw-matrix.ts';
import type { SettlementResult } from './run-settlement.ts';

const MOST_SHOWN = 20;
const MANY_IN_FLIGHT = 50;

export function reportSettlement(
  result: SettlementResult,
  seed: number,
  print: (line: string) => void,
  svgFile: string | undefined,
): void {
  const { violations, shortest, struck } = result;
  if (violations.length > 0) print(`seed ${seed}: ${violations.length} violations`);
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  for (const line of shortest) print(line);
  const many = struck.filter(({ inFlight }) => inFlight >= MANY_IN_FLIGHT);
  for (const [kind, of] of Map.groupBy(struck, (fault) => fault.kind)) {
    const strong = of.filter(({ inFlight }) => inFlight >= MANY_IN_FLIGHT).length;
    print(`${kind}: ${of.length} strikes, ${strong} with ${MANY_IN_FLIGHT} or more in flight`);
  }
  print(
    `${result.completed} payments completed, ${result.upto} of them up-to, ${result.direct} direct (${result.foreign} by strangers), ${result.reversedPayments} taken back by the chain and completed again; ` +
      `${tellRefunds(result.refunds)}; ${result.answers} answers and ${result.arrivals} arrivals checked; ${many.length} of ${struck.length} strikes with ` +
      `${MANY_IN_FLIGHT} or more in flight, ${result.overlappingPairs} overlapping pairs, ${result.missed} missed; ` +
      `slowest recovery ${Math.max(0, ...struck.map(({ recoveryMs }) => recoveryMs))} ms; ${result.seconds} s`,
  );
  if (svgFile !== undefined) writeFileSync(svgFile, drawMatrix(result, seed));
  const kinds = [...Map.groupBy(struck, ({ kind }) => kind)].map(([kind, of]) => [kind, of.length] as const);
  console.log(
    JSON.stringify({
      seed,
      payments: result.payments,
      direct: result.direct,
      foreign: result.foreign,
      refunds: result.refunds,
      faults: struck.length,
      kinds: Object.fromEntries(kinds),
      violations: violations.length,
      in_flight_p50: result.inFlightP50,
    }),
  );
}
