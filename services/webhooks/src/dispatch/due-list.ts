// Which endpoints of a shard have something due. A backlog makes looking dear, so what a walk found serves for a while;
// endpoints with fresh events are looked for every time.
import type { Mode } from '@svc-pay/core';
import {
  type DueEndpoint,
  findDueEndpoints,
  findFreshEndpoints,
  type HeldShard,
  walkDueEndpoints,
} from '@svc-pay/postgres/deliveries';
import type pg from 'pg';

export type DueList = { readonly look: (held: HeldShard, nowMs: number) => Promise<readonly DueEndpoint[]> };

type Walk = { readonly atMs: number; readonly endpoints: readonly DueEndpoint[]; readonly after: string };

/** Long beside a walk, short beside what merchants notice. */
const WALK_EVERY_MS = 300;

export function createDueList(pool: pg.Pool, modes: readonly Mode[]): DueList {
  const walks = new Map<number, Walk>();
  const walkOf = async (held: HeldShard, nowMs: number): Promise<Walk> => {
    const last = walks.get(held.index);
    if (last !== undefined && performance.now() - last.atMs < WALK_EVERY_MS) return last;
    const walked = await walkDueEndpoints(pool, held, modes, nowMs, last?.after ?? '');
    const walk = { ...walked, atMs: performance.now() };
    walks.set(held.index, walk);
    return walk;
  };
  return {
    look: async (held, nowMs) => {
      const found = await findDueEndpoints(pool, held, modes, nowMs);
      if (found.all) {
        walks.delete(held.index);
        return found.endpoints;
      }
      const fresh = await findFreshEndpoints(pool, held, modes, nowMs);
      const { endpoints } = await walkOf(held, nowMs);
      return [...new Map([...endpoints, ...fresh].map((endpoint) => [endpoint.endpointId, endpoint])).values()];
    },
  };
}
