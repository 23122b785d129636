// A run in words, and as one line of JSON for whoever counts.
import { type ClusterResult, inSeconds } from './run-cluster.ts';

const MOST_SHOWN = 20;

export function reportCluster(result: ClusterResult, seed: number, print: (line: string) => void): void {
  const { violations, shortest, struck } = result;
  if (violations.length > 0) print(`seed ${seed}: ${violations.length} violations`);
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  for (const line of shortest) print(line);
  print(
    `${result.completed} payments completed, ${result.upto} of them up-to; ${result.answers} answers and ` +
      `${result.arrivals} arrivals checked; ${result.repeated} requests were cut off and answered by the other API; ` +
      `${result.blobs} blobs of snapshots; longest dip ${inSeconds(Math.max(0, ...struck.map(({ dipMs }) => dipMs)))} s; ` +
      `${result.seconds} s`,
  );
  const byKind = [...Map.groupBy(struck, ({ kind }) => kind)];
  console.log(
    JSON.stringify({
      seed,
      payments: result.payments,
      faults: struck.length,
      kinds: Object.fromEntries(byKind.map(([kind, of]) => [kind, of.length])),
      violations: violations.length,
      in_flight_p50: result.inFlightP50,
      dips_s: Object.fromEntries(byKind.map(([kind, of]) => [kind, of.map(({ dipMs }) => inSeconds(dipMs))])),
    }),
  );
}
