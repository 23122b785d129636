// A run in words, and as one line of JSON for whoever counts.
import { tellRefunds } from '../refunds/tell-refunds.ts';
import type { IcpResult } from './run-icp.ts';

const MOST_SHOWN = 20;

export function reportIcp(result: IcpResult, seed: number, print: (line: string) => void): void {
  const { violations, shortest, struck } = result;
  if (violations.length > 0) print(`seed ${seed}: ${violations.length} violations`);
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  for (const line of shortest) print(line);
  print(
    `${result.transfers} transfers on the ledger: ${result.completed} payments completed, ${result.mismatched} mismatched, ` +
      `${result.receipts} receipts of no intent; ${tellRefunds(result.refunds)}; ${result.answers} answers and ` +
      `${result.arrivals} arrivals checked; ${struck.length} strikes, ${result.missed} missed; slowest recovery ` +
      `${Math.max(0, ...struck.map(({ recoveryMs }) => recoveryMs))} ms; ${result.seconds} s`,
  );
  const kinds = [...Map.groupBy(struck, ({ kind }) => kind)].map(([kind, of]) => [kind, of.length] as const);
  const { payments, transfers, refunds, inFlightP50 } = result;
  const figures = { payments, transfers, refunds, faults: struck.length, kinds: Object.fromEntries(kinds) };
  console.log(JSON.stringify({ seed, ...figures, violations: violations.length, in_flight_p50: inFlightP50 }));
}
