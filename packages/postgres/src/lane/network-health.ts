// Condition of a network's relayers, and whether the network is offered. Settlement writes, the API reads.
import {
  isoTime,
  type LaneFacts,
  type LaneObstacle,
  PENDING_BATCH,
  RELAYER_STATUS,
  type RelayerCondition,
  type RelayerFitness,
  SETTLEMENT_STATUS,
  type WithdrawalReason,
  type WithdrawnPart,
  withdrawnPart,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';

export async function listRelayerAddresses(pool: pg.Pool, network: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ address: string }>({
    name: 'list-relayer-addresses',
    text: `select address from svc.relayers
      where network = $1 and status ${sqlIsNot(RELAYER_STATUS.retired)} and duty = 'settle' order by address`,
    values: [network],
  });
  return rows.map(({ address }) => address);
}

/** Returns the relayers whose condition has changed, with the condition before and now. */
export async function recordFitness(
  pool: pg.Pool,
  network: string,
  rows: readonly RelayerFitness[],
  nowMs: number,
): Promise<readonly { readonly relayer: string; readonly before: string; readonly now: string }[]> {
  const changed = await pool.query<{ relayer: string; before: string; now: string }>({
    name: 'record-relayer-fitness',
    text: `
      with before as materialized (select address, condition from svc.relayers where network = $1)
      update svc.relayers lane
      set balance = seen.balance, condition = seen.condition, capped = seen.capped, checked_at = $6
      from unnest($2::text[], $3::numeric[], $4::text[], $5::boolean[]) as seen (address, balance, condition, capped),
        before
      where lane.network = $1 and lane.address = seen.address and before.address = seen.address
      returning lane.address as relayer, before.condition as before, lane.condition as now`,
    values: [
      network,
      rows.map(({ relayer }) => relayer),
      rows.map(({ balanceWei }) => balanceWei.toString()),
      rows.map(({ condition }) => condition),
      rows.map(({ capped }) => capped),
      isoTime(nowMs),
    ],
  });
  return changed.rows.filter(({ before, now }) => before !== now);
}

/** Facts about the active lanes and the shared queue. Solo and deferred payments are not counted. */
export async function loadLaneFacts(
  pool: pg.Pool,
  network: string,
  nowMs: number,
): Promise<{ readonly lanes: readonly LaneFacts[]; readonly oldestQueuedMs: number | null }> {
  const lanes = await pool.query<{
    condition: RelayerCondition;
    capped: boolean;
    obstacle: LaneObstacle | null;
    obstacle_since: Date | null;
    oldest: Date | null;
  }>({
    name: 'load-lane-facts',
    text: `
      select condition, capped, obstacle, obstacle_since, (
          select min(b.created_at) from svc.batches b
          where b.network = r.network and b.relayer = r.address and b.status ${sqlIs(...PENDING_BATCH)}
        ) as oldest
      from svc.relayers r
      where network = $1 and status ${sqlIs(RELAYER_STATUS.active)} and duty = 'settle' order by address`,
    values: [network],
  });
  const queue = await pool.query<{ oldest: Date | null }>({
    name: 'load-oldest-queued',
    text: `
      select min(updated_at) as oldest from (
        select updated_at from svc.settlements
        where network = $1 and status ${sqlIs(SETTLEMENT_STATUS.queued)} and solo_payer is null and retry_at is null
        order by number limit 1
      ) head`,
    values: [network],
  });
  const ageOf = (since: Date | null | undefined) => (since ? nowMs - since.getTime() : null);
  return {
    lanes: lanes.rows.map(({ oldest, obstacle_since, ...lane }) => ({
      ...lane,
      obstacleMs: ageOf(obstacle_since),
      oldestPendingMs: ageOf(oldest),
    })),
    oldestQueuedMs: ageOf(queue.rows[0]?.oldest),
  };
}

/** True if the reason has changed. Times are by the database's clock, which writer and readers share. */
export async function recordHealth(pool: pg.Pool, network: string, reason: WithdrawalReason | null): Promise<boolean> {
  const { rows } = await pool.query<{ before: boolean | null }>({
    name: 'record-network-health',
    text: `
      with before as materialized (select reason from svc.network_health where network = $1)
      insert into svc.network_health as health (network, offered, reason, since, checked_at)
      values ($1, $2::text is null, $2, now(), now())
      on conflict (network) do update
      set offered = excluded.offered, reason = excluded.reason, checked_at = excluded.checked_at,
        since = case when health.offered = excluded.offered then health.since else excluded.since end
      returning (select reason is not distinct from $2::text from before) as before`,
    values: [network, reason],
  });
  return rows[0]?.before !== true;
}

export type NetworkHealth = {
  readonly network: string;
  readonly offered: boolean;
  readonly reason: string | null;
  readonly since: string;
  readonly checkedAt: string;
};

export async function reportHealth(pool: pg.Pool): Promise<readonly NetworkHealth[]> {
  const { rows } = await pool.query<{
    network: string;
    offered: boolean;
    reason: string | null;
    since: Date;
    checked_at: Date;
  }>('select network, offered, reason, since, checked_at from svc.network_health order by network');
  return rows.map(({ since, checked_at, ...health }) => ({
    ...health,
    since: isoTime(since.getTime()),
    checkedAt: isoTime(checked_at.getTime()),
  }));
}

/** Networks of which new acceptances may not offer all. */
export async function findWithdrawn(pool: pg.Pool): Promise<ReadonlyMap<string, WithdrawnPart>> {
  const { rows } = await pool.query<{ network: string; reason: string | null; checkedMs: number }>({
    name: 'find-withdrawn-networks',
    text: `
      select network, reason, (extract(epoch from now() - checked_at) * 1000)::float8 as "checkedMs"
      from svc.network_health`,
  });
  return new Map(
    rows.flatMap((health) => {
      const part = withdrawnPart(health);
      return part === null ? [] : [[health.network, part] as const];
    }),
  );
}
