import { type Clock, jobName, type NodeProbe, type NodeReadingStore, type PeriodicJob } from '@svc-pay/core';

const EVERY_MS = 15_000;

export type NodeWatchDeps = { readonly nodeReadings: NodeReadingStore; readonly clock: Clock };

/** Records what each RPC node of a network answers, for the operator's page. */
export function createNodeWatch(
  { network, readNodes }: NodeProbe,
  { nodeReadings, clock }: NodeWatchDeps,
): PeriodicJob {
  return {
    name: jobName('nodes', network),
    everyMs: EVERY_MS,
    run: async () => {
      const readings = await readNodes();
      await nodeReadings.recordNodes(network, readings, clock.nowMs());
    },
  };
}
