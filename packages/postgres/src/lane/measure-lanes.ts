// Numbers for the settlement gauges. Each query reads a partial index of open rows, so its cost does not grow with
// history. Every network is in the answer, also with a count of zero.
import {
  isoTime,
  PENDING_BATCH,
  RELAYER_STATUS,
  type RelayerCondition,
  SETTLEMENT_STATUS,
  STRANDED_STATUS,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';
import { QUEUED_REFUND } from './refund-items.ts';

/**
 * `queued`: waits for a transaction, in the common queue, in the solo queue, or as a refund. `pending`: pending batches.
 * `held`: waits until the chain proves the outcome.
 */
type Stage = 'queued' | 'queued_solo' | 'queued_refund' | 'pending' | 'held';

export type LaneMeasures = {
  readonly networks: readonly {
    readonly network: string;
    /** Why the network is withdrawn; null while it is offered. */
    readonly reason: string | null;
    /** Seconds since settlement last checked the network. */
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
    /** 0 when the count is 0. */
    readonly oldestSeconds: number;
  }[];
  /** Stranded transfers that are neither settled nor returned. */
  readonly strandedTransfers: readonly { readonly network: string; readonly status: string; readonly count: number }[];
};

const age = (since: string) => `coalesce(extract(epoch from $1::timestamptz - min(${since})), 0)::float8`;
const QUEUED = sqlIs(SETTLEMENT_STATUS.queued);

const NETWORKS = `
  select network, reason, extract(epoch from now() - checked_at)::float8 as "checkedSeconds"
  from svc.network_health order by network`;
const LANES = `
  select network, case duty when 'resolve_stranded' then 'recover' else duty end as duty, condition,
    count(*)::integer as count
  from svc.relayers where status ${sqlIs(RELAYER_STATUS.active)} group by network, relayers.duty, condition`;
// Deferred payments and refunds (`retry_at` set) are not counted: their wait says nothing about the lane.
const STAGES = `
  select network.network, stage.* from (select distinct network from svc.relayers) network cross join lateral (
    select 'queued' as stage, count(*)::integer as count, ${age('updated_at')} as "oldestSeconds" from svc.settlements s
    where s.network = network.network and s.status ${QUEUED} and s.solo_payer is null and s.retry_at is null
    union all
    select 'queued_solo', count(*)::integer, ${age('updated_at')} from svc.settlements s
    where s.network = network.network and s.status ${QUEUED} and s.solo_payer is not null and s.retry_at is null
    union all
    select 'queued_refund', count(*)::integer, ${age('updated_at')} from svc.refunds r
    where r.network = network.network and ${QUEUED_REFUND} and r.retry_at is null
    union all
    select 'held', count(*)::integer, ${age('updated_at')} from svc.settlements s
    where s.network = network.network and s.status ${sqlIs(SETTLEMENT_STATUS.held)}
    union all
    select 'pending', count(*)::integer, ${age('created_at')} from svc.batches b
    where b.network = network.network and b.status ${sqlIs(...PENDING_BATCH)}
  ) stage`;
// Action `hold` is counted as a status of its own: those transfers wait for the merchant, not for a lane.
const STRANDED_TRANSFERS = `
  select network, case when action = 'hold' then 'hold' else status end as status, count(*)::integer as count
  from svc.stranded_transfers where status ${sqlIsNot(STRANDED_STATUS.done)} group by 1, 2`;

export async function measureLanes(pool: pg.Pool, nowMs: number): Promise<LaneMeasures> {
  const [networks, lanes, stages, strandedTransfers] = await Promise.all([
    pool.query<LaneMeasures['networks'][number]>(NETWORKS),
    pool.query<LaneMeasures['lanes'][number]>(LANES),
    pool.query<LaneMeasures['stages'][number]>(STAGES, [isoTime(nowMs)]),
    pool.query<LaneMeasures['strandedTransfers'][number]>(STRANDED_TRANSFERS),
  ]);
  return { networks: networks.rows, lanes: lanes.rows, stages: stages.rows, strandedTransfers: strandedTransfers.rows };
}
