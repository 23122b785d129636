// A run in words, and as one line of JSON for whoever counts.
import type { ChaosResult } from './run-webhooks.ts';

const MOST_SHOWN = 20;

/** Whether nothing was lost, and every duplicate has its reason. */
export function reportWebhooks(result: ChaosResult, seed: number, print: (line: string) => void): boolean {
  for (const problem of result.problems.slice(0, MOST_SHOWN)) print(problem);
  print(
    `${result.arrivals} arrivals, ${result.duplicates} of them again; slowest recovery ${result.slowestRecoveryMs} ms; ${result.seconds} s`,
  );
  const figures = {
    seed,
    deliveries: result.deliveries,
    faults: Object.values(result.kinds).reduce((sum, count) => sum + count, 0),
    kinds: result.kinds,
    lost: result.lost,
    unexplained_duplicates: result.unexplainedDuplicates,
    problems: result.problems.length,
    in_flight_p50: result.inFlightP50,
  };
  console.log(JSON.stringify(figures));
  return result.lost + result.unexplainedDuplicates + result.problems.length === 0;
}
