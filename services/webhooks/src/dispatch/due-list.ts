// Finds the endpoints of a shard with due deliveries. With a backlog this query is expensive: sent deliveries leave
// dead rows, which are read again as long as any snapshot is older. Cure: cache the result, for longer the longer the
// query took; endpoints with fresh events are still queried every time.
import type { DeliveryStore, DueEndpoint, Mode, ShardLease } from '@svc-pay/core';

export type DueList = { readonly look: (lease: ShardLease, nowMs: number) => Promise<readonly DueEndpoint[]> };

type Walk = { readonly untilMs: number; readonly endpoints: readonly DueEndpoint[]; readonly after: string };

const WALK_SERVES_MS = 300;
/** Cache time as a multiple of the query time: queries take at most a fifth of the time. */
const WALK_SERVES_TIMES = 4;

export function createDueList(store: DeliveryStore, modes: readonly Mode[]): DueList {
  const walks = new Map<number, Walk>();
  const lookAgain = async (lease: ShardLease, nowMs: number): Promise<readonly DueEndpoint[]> => {
    const startMs = performance.now();
    const found = await store.findDueEndpoints(lease, modes, nowMs);
    if (found.all) {
      walks.delete(lease.index);
      return found.endpoints;
    }
    const walked = await store.walkDueEndpoints(lease, modes, nowMs, walks.get(lease.index)?.after ?? '');
    const endMs = performance.now();
    const servesMs = Math.max(WALK_SERVES_MS, (endMs - startMs) * WALK_SERVES_TIMES);
    walks.set(lease.index, { ...walked, untilMs: endMs + servesMs });
    return walked.endpoints;
  };
  return {
    look: async (lease, nowMs) => {
      const walk = walks.get(lease.index);
      const known =
        walk !== undefined && performance.now() < walk.untilMs ? walk.endpoints : await lookAgain(lease, nowMs);
      if (!walks.has(lease.index)) return known;
      const fresh = await store.findFreshEndpoints(lease, modes, nowMs);
      return [...new Map([...known, ...fresh].map((endpoint) => [endpoint.endpointId, endpoint])).values()];
    },
  };
}
