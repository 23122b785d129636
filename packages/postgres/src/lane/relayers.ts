// One row per relayer key. Idle lanes with work are found and woken from here.
import {
  isoTime,
  isUnattended,
  type Lane,
  laneHasWork,
  type NewRelayer,
  PENDING_BATCH,
  RELAYER_STATUS,
  type RelayerStatus,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs, sqlIsNot, sqlStatus } from '../database/status-sql.ts';
import { loadLaneWork } from './load-lane-work.ts';

/**
 * Inserts the lane with the nonce that the chain reports for its key. An existing lane is left unchanged and the chain
 * is not asked: the database counts its nonces.
 */
export async function registerRelayer(
  pool: pg.Pool,
  { network, relayer, mode, duty }: NewRelayer,
  readNonce: () => Promise<bigint>,
  nowMs: number,
): Promise<void> {
  const known = await pool.query('select from svc.relayers where network = $1 and address = $2', [network, relayer]);
  if (known.rowCount === 1) return;
  await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at, duty)
     values ($1, $2, $3, $4, ${sqlStatus(RELAYER_STATUS.active)}, $5, $6) on conflict do nothing`,
    [network, relayer, mode, (await readNonce()).toString(), isoTime(nowMs), duty],
  );
}

export type LaneReport = Lane & {
  readonly duty: string;
  readonly status: string;
  readonly awake: boolean;
  readonly nextNonce: string;
  readonly inFlight: number;
  readonly beatAt: string | null;
  /** Condition of the relayer key at the last check. */
  readonly condition: string;
  /** In the native coin; null before the first check. */
  readonly balance: string | null;
  readonly capped: boolean;
  /** Why the lane has stopped; null when it has not. */
  readonly obstacle: string | null;
};

export async function reportLanes(pool: pg.Pool): Promise<readonly LaneReport[]> {
  const { rows } = await pool.query<{
    network: NetworkId;
    address: string;
    duty: string;
    status: string;
    awake: boolean;
    next_nonce: string;
    in_flight: number;
    heartbeat_at: Date | null;
    condition: string;
    balance: string | null;
    capped: boolean;
    obstacle: string | null;
  }>(
    `select network, address, duty, status, awake, next_nonce, heartbeat_at, condition, balance, capped, obstacle, (
       select count(*)::integer from svc.batches b
       where b.network = r.network and b.relayer = r.address and b.status ${sqlIs(...PENDING_BATCH)}
     ) as in_flight
     from svc.relayers r order by network, address`,
  );
  return rows.map((row) => ({
    network: row.network,
    relayer: row.address,
    // `GET /lanes` and the JSON of `relayers list` say `recover`.
    duty: row.duty === 'resolve_stranded' ? 'recover' : row.duty,
    status: row.status,
    awake: row.awake,
    nextNonce: row.next_nonce,
    inFlight: row.in_flight,
    beatAt: row.heartbeat_at === null ? null : isoTime(row.heartbeat_at.getTime()),
    condition: row.condition,
    balance: row.balance,
    capped: row.capped,
    obstacle: row.obstacle,
  }));
}

const LOAD_SIGNS = {
  name: 'load-lane-signs-of-life',
  text: 'select network, address, status, awake, heartbeat_at from svc.relayers order by network, address',
};
const MARK_FORGOTTEN = {
  name: 'mark-forgotten-lanes',
  text: `
    update svc.relayers lane set awake = true
    from unnest($1::text[], $2::text[]) as forgotten (network, address)
    where lane.network = forgotten.network and lane.address = forgotten.address
      and lane.status ${sqlIsNot(RELAYER_STATUS.retired)}`,
};

/** Lanes that have work, and are asleep or without a heartbeat since `silentSinceMs`. The call marks them awake. */
export async function findForgottenLanes(pool: pg.Pool, silentSinceMs: number): Promise<readonly Lane[]> {
  const { rows } = await pool.query<SignsRow>(LOAD_SIGNS);
  const unattended = rows.filter((row) =>
    isUnattended({ ...row, heartbeatAtMs: row.heartbeat_at?.getTime() ?? null }, silentSinceMs),
  );
  const lanes = unattended.map(({ network, address }): Lane => ({ network, relayer: address }));
  const forgotten = (await loadLaneWork(pool, lanes)).filter(({ work }) => laneHasWork(work)).map(({ lane }) => lane);
  if (forgotten.length === 0) return [];
  const values = [forgotten.map(({ network }) => network), forgotten.map(({ relayer }) => relayer)];
  await pool.query({ ...MARK_FORGOTTEN, values });
  return forgotten;
}

type SignsRow = {
  readonly network: NetworkId;
  readonly address: string;
  readonly status: RelayerStatus;
  readonly awake: boolean;
  readonly heartbeat_at: Date | null;
};
