// A run in words, and as one line of JSON for whoever counts.
import { tellRefunds } from '../refunds/tell-refunds.ts';
import type { SolanaResult } from './run-solana.ts';

const MOST_SHOWN = 20;

export function reportSolana(result: SolanaResult, seed: number, print: (line: string) => void): void {
  const { violations, shortest, struck } = result;
  if (violations.length > 0) print(`seed ${seed}: ${violations.length} violations`);
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  for (const line of shortest) print(line);
  print(
    `${result.completed} payments completed, ${result.failed} attempts failed and were signed anew; ${result.landed} transactions ` +
      `on chain, ${tellRefunds(result.refunds)}; ${result.answers} answers and ${result.arrivals} arrivals checked; ${struck.length} strikes, ${result.missed} ` +
      `missed; slowest recovery ${Math.max(0, ...struck.map(({ recoveryMs }) => recoveryMs))} ms; ${result.seconds} s`,
  );
  const kinds = [...Map.groupBy(struck, ({ kind }) => kind)].map(([kind, of]) => [kind, of.length] as const);
  console.log(
    JSON.stringify({
      seed,
      payments: result.payments,
      refunds: result.refunds,
      faults: struck.length,
      kinds: Object.fromEntries(kinds),
      violations: violations.length,
      in_flight_p50: result.inFlightP50,
    }),
  );
}
