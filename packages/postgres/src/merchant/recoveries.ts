// The orders to send a range again. They are worked by the webhooks service.
import { type Caller, isoTime } from '@svc-pay/core';
import type { EventType } from '@svc-pay/protocol';
import type { Recovery } from '@svc-pay/protocol/merchant';
import type pg from 'pg';
import type { Work } from './work.ts';

const COLUMNS = 'id, endpoint_id, status, total, examined, queued, reason, created_at, finished_at';

type RecoveryRow = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly status: Recovery['status'];
  readonly total: number | null;
  readonly examined: number;
  readonly queued: number;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

export type NewRecovery = {
  readonly id: string;
  readonly endpointId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly types: readonly EventType[] | null;
  readonly reach: 'failed' | 'all';
};

/** Undefined when one of this endpoint is running already. */
export async function beginRecovery(work: Work, made: NewRecovery): Promise<Recovery | undefined> {
  const { accountId, mode } = work.caller;
  const { rows } = await work.client.query<RecoveryRow>(
    `insert into svc.delivery_recoveries (
       account_id, mode, id, endpoint_id, from_at, to_at, event_types, reach, status, after_event_id, created_at
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, 'running', '', $9)
     on conflict (account_id, mode, endpoint_id) where status = 'running' do nothing returning ${COLUMNS}`,
    [
      accountId,
      mode,
      made.id,
      made.endpointId,
      isoTime(made.fromMs),
      isoTime(made.toMs),
      made.types,
      made.reach,
      isoTime(work.nowMs),
    ],
  );
  if (rows[0] === undefined) return undefined;
  const { id, endpointId, fromMs, toMs, types, reach } = made;
  const detail = { recoveryId: id, from: isoTime(fromMs), to: isoTime(toMs), types, only: reach };
  await work.audit('endpoint.recovered', endpointId, detail);
  return recoveryOf(rows[0]);
}

export async function loadRecovery(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  recoveryId: string,
): Promise<Recovery | undefined> {
  const { rows } = await pool.query<RecoveryRow>(
    `select ${COLUMNS} from svc.delivery_recoveries where account_id = $1 and mode = $2 and id = $3`,
    [accountId, mode, recoveryId],
  );
  return rows[0] && recoveryOf(rows[0]);
}

function recoveryOf(row: RecoveryRow): Recovery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    status: row.status,
    total: row.total,
    examined: row.examined,
    queued: row.queued,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
