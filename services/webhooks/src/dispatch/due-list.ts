// Which endpoints of a shard have something due. A backlog makes looking dear: what was sent leaves dead rows behind, which
// are read again and again while any snapshot is older than they are. So what a look found then serves for a while, the
// longer the dearer it was; endpoints with fresh events are looked for every time.
import type { DeliveryStore, DueEndpoint, HeldShard, Mode } from '@svc-pay/core';

export type DueList = { readonly look: (held: HeldShard, nowMs: number) => Promise<readonly DueEndpoint[]> };

type Walk = { readonly untilMs: number; readonly endpoints: readonly DueEndpoint[]; readonly after: string };

const WALK_SERVES_MS = 300;
/** Of what it took: so looking is at most a fifth of the time. */
const WALK_SERVES_TIMES = 4;

export function createDueList(store: DeliveryStore, modes: readonly Mode[]): DueList {
  const walks = new Map<number, Walk>();
  const lookAgain = async (held: HeldShard, nowMs: number): Promise<readonly DueEndpoint[]> => {
    const startMs = performance.now();
    const found = await store.findDueEndpoints(held, modes, nowMs);
    if (found.all) {
      walks.delete(held.index);
      return found.endpoints;
    }
    const walked = await store.walkDueEndpoints(held, modes, nowMs, walks.get(held.index)?.after ?? '');
    const endMs = performance.now();
    const servesMs = Math.max(WALK_SERVES_MS, (endMs - startMs) * WALK_SERVES_TIMES);
    walks.set(held.index, { ...walked, untilMs: endMs + servesMs });
    return walked.endpoints;
  };
  return {
    look: async (held, nowMs) => {
      const walk = walks.get(held.index);
      const known =
        walk !== undefined && performance.now() < walk.untilMs ? walk.endpoints : await lookAgain(held, nowMs);
      if (!walks.has(held.index)) return known;
      const fresh = await store.findFreshEndpoints(held, modes, nowMs);
      return [...new Map([...known, ...fresh].map((endpoint) => [endpoint.endpointId, endpoint])).values()];
    },
  };
}
