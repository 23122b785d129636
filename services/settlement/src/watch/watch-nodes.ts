import { type Clock, jobName, type NodeProbe, type NodeReadingStore } from '@svc-pay/core';
import type { RestableJob } from './rest-jobs.ts';

const EVERY_MS = 15_000;

export type NodeWatchDeps = { readonly nodeReadings: NodeReadingStore; readonly clock: Clock };

/** Records what each RPC node of a network answers, for the operator's page. */
export function createNodeWatch(
  { network, readNodes }: NodeProbe,
  { nodeReadings, clock }: NodeWatchDeps,
): RestableJob {
  // One that is silent is read at the usual pace: the page tells soon when it is back.
  let allAnswered = false;
  return {
    name: jobName('nodes', network),
    everyMs: EVERY_MS,
    mayRest: () => allAnswered,
    run: async () => {
      const readings = await readNodes();
      allAnswered = readings.every(({ answered }) => answered);
      await nodeReadings.recordNodes(network, readings, clock.nowMs());
    },
  };
}
