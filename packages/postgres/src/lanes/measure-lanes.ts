// How settlement stands, in numbers for a gauge. Every part is read by an index of what is open, so that a long history
// costs nothing; with nothing open the answer still names each network.
import { isoTime, type RelayerCondition } from '@svc-pay/core';
import type pg from 'pg';

/** `queued`: waits for a transaction. `flying`: a transaction without a known end. `held`: waits for the chain's word. */
type Stage = 'queued' | 'flying' | 'held';

export type LaneMeasures = {
  readonly networks: readonly {
    readonly network: string;
    /** Null while it is offered. */
    readonly reason: string | null;
    /** Since settlement last looked at it. */
    readonly checkedSeconds: number;
  }[];
  /** Active lanes. */
  readonly lanes: readonly {
    readonly network: string;
    readonly duty: string;
    readonly condition: RelayerCondition;
    readonly count: number;
  }[];
  readonly stages: readonly {
    readonly network: string;
    readonly stage: Stage;
    readonly count: number;
    /** 0 when nothing is there. */
    readonly oldestSeconds: number;
  }[];
  /** Money that was stranded and is not where it belongs yet. */
  readonly recoveries: readonly { readonly network: string; readonly status: string; readonly count: number }[];
};

const age = (since: string) => `coalesce(extract(epoch from $1::timestamptz - min(${since})), 0)::float8`;

const NETWORKS = `
  select network, reason, extract(epoch from now() - checked_at)::float8 as "checkedSeconds"
  from svc.network_health order by network`;
const LANES = `
  select network, duty, condition, count(*)::integer as count from svc.relayers
  where status = 'active' group by network, duty, condition`;
// A payment that is left aside for a reason of its own is none that its lane keeps waiting.
const STAGES = `
  select network.network, stage.* from (select distinct network from svc.relayers) network cross join lateral (
    select 'queued' as stage, count(*)::integer as count, ${age('updated_at')} as "oldestSeconds" from svc.settlements s
    where s.network = network.network and s.status = 'queued' and s.retry_at is null
    union all
    select 'held', count(*)::integer, ${age('updated_at')} from svc.settlements s
    where s.network = network.network and s.status = 'held'
    union all
    select 'flying', count(*)::integer, ${age('created_at')} from svc.batches b
    where b.network = network.network and b.status in ('signed', 'broadcast')
  ) stage`;
// What a merchant has yet to decide waits for nobody here.
const RECOVERIES = `
  select network, case when deed = 'hold' then 'hold' else status end as status, count(*)::integer as count
  from svc.recoveries where status <> 'done' group by 1, 2`;

export async function measureLanes(pool: pg.Pool, nowMs: number): Promise<LaneMeasures> {
  const [networks, lanes, stages, recoveries] = await Promise.all([
    pool.query<LaneMeasures['networks'][number]>(NETWORKS),
    pool.query<LaneMeasures['lanes'][number]>(LANES),
    pool.query<LaneMeasures['stages'][number]>(STAGES, [isoTime(nowMs)]),
    pool.query<LaneMeasures['recoveries'][number]>(RECOVERIES),
  ]);
  return { networks: networks.rows, lanes: lanes.rows, stages: stages.rows, recoveries: recoveries.rows };
}
