// Orders to replay a range of events to an endpoint. The webhooks service works them off.
import { type Caller, isoTime } from '@svc-pay/core';
import type { EventType } from '@svc-pay/protocol';
import type { EventReplay } from '@svc-pay/protocol/merchant';
import type pg from 'pg';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import type { MerchantWork } from '../idempotency/merchant-write.ts';

const COLUMNS = 'id, endpoint_id, status, total, examined, queued, reason, created_at, finished_at';

type EventReplayRow = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly status: EventReplay['status'];
  readonly total: number | null;
  readonly examined: number;
  readonly queued: number;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

export type NewEventReplay = {
  readonly id: string;
  readonly endpointId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly types: readonly EventType[] | null;
  readonly scope: 'failed' | 'all';
};

const ORDER = namedParameters({
  account_id: 'text',
  mode: 'text',
  id: 'text',
  endpoint_id: 'text',
  from_at: 'timestamptz',
  to_at: 'timestamptz',
  event_types: 'text[]',
  scope: 'text',
  created_at: 'timestamptz',
});
const BEGIN = `
  ${insertText('svc.event_replays', { ...ORDER.at, status: `'running'`, after_event_id: `''` })}
  on conflict (account_id, mode, endpoint_id) where status = 'running' do nothing returning ${COLUMNS}`;

/** Undefined if a replay for this endpoint is already running. */
export async function beginReplay(work: MerchantWork, made: NewEventReplay): Promise<EventReplay | undefined> {
  const { accountId, mode } = work.caller;
  const { rows } = await work.client.query<EventReplayRow>(
    BEGIN,
    ORDER.values({
      account_id: accountId,
      mode,
      id: made.id,
      endpoint_id: made.endpointId,
      from_at: isoTime(made.fromMs),
      to_at: isoTime(made.toMs),
      event_types: made.types,
      scope: made.scope,
      created_at: isoTime(work.nowMs),
    }),
  );
  if (rows[0] === undefined) return undefined;
  const { id, endpointId, fromMs, toMs, types, scope } = made;
  const detail = { recoveryId: id, from: isoTime(fromMs), to: isoTime(toMs), types, only: scope };
  await work.audit('endpoint.recovered', endpointId, detail);
  return replayOf(rows[0]);
}

export async function loadReplay(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  replayId: string,
): Promise<EventReplay | undefined> {
  const { rows } = await pool.query<EventReplayRow>(
    `select ${COLUMNS} from svc.event_replays where account_id = $1 and mode = $2 and id = $3`,
    [accountId, mode, replayId],
  );
  return rows[0] && replayOf(rows[0]);
}

function replayOf(row: EventReplayRow): EventReplay {
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
