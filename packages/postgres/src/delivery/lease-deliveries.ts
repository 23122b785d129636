// Leases due deliveries, a few of each endpoint, those that go first before what is due for longer. A due delivery that still
// has a lease belonged to a sender that ended or hung: the lost attempt is recorded as `our_fault`, so that a second arrival
// at the endpoint has a known cause.
import {
  chargedBefore,
  ENDPOINT_STATUS,
  isoTime,
  type LeasedDelivery,
  type Mode,
  type WantedDeliveries,
} from '@svc-pay/core';
import type pg from 'pg';
import { equalInKeyOrder, ONE_BY_KEY, withoutIndex } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { inQueueOrder, queueOrder } from '../endpoint/queue-order.ts';
import { isDue } from './is-due.ts';
import { olderProcessWorks } from './shards.ts';

const IS_ENABLED = sqlIs(ENDPOINT_STATUS.enabled);

const CLAIM = {
  name: 'claim-deliveries',
  text: `
    with picked as materialized (
      select wanted.account_id, wanted.mode, wanted.endpoint_id, due.event_id, due.place, due.goes_first, endpoint.*
      from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $8::integer[])
        as wanted (account_id, mode, endpoint_id, room, kept_room)
      cross join lateral (
        select url, retry_count, timeout_seconds, headers_ciphertext, secret_ciphertext, previous_secret_ciphertext,
          previous_secret_expires_at
        from svc.endpoints e
        where e.account_id = wanted.account_id and e.mode = wanted.mode and e.id = wanted.endpoint_id
          and e.status ${IS_ENABLED}
        ${ONE_BY_KEY}
      ) endpoint
      cross join lateral (
        select * from (
          select found.*, row_number() over () - count(*) filter (where found.goes_first) over () as number_of_others
          from (
            select d.event_id, d.ctid as place, d.goes_first from svc.deliveries d
            where d.status = 'pending' and d.endpoint_id = wanted.endpoint_id and ${inQueueOrder('d')} and ${isDue('d', '$5')}
              and d.account_id = wanted.account_id and d.mode = wanted.mode
            order by ${queueOrder('d')} limit wanted.room + wanted.kept_room for update skip locked
          ) found
        ) numbered
        -- Kept room is for those that go first alone.
        where number_of_others <= wanted.room
      ) due
    ),
    taken as (
      update svc.deliveries d
      -- A process of the release before reads no leases: beside one, the end of the lease is when the delivery is due.
      set next_at = case when ${olderProcessWorks('$5')} then $6 else d.next_at end, lease_until = $6,
        fence = d.fence + 1, attempt_count = d.attempt_count + 1,
        uncharged_count = d.uncharged_count + (d.lease_until is not null)::integer
      from picked
      -- By its place, in each partition: the row is locked and can't move. One that changed just before is not seen there, and
      -- is taken the next time.
      where d.account_id = picked.account_id and d.mode = picked.mode and d.endpoint_id = picked.endpoint_id
        and ${withoutIndex('d.event_id')} = picked.event_id and d.ctid = picked.place
      returning d.account_id, d.mode, d.event_id, d.endpoint_id, d.fence, d.attempt_count,
        d.uncharged_count, picked.goes_first, picked.url, picked.retry_count, picked.timeout_seconds, picked.headers_ciphertext,
        picked.secret_ciphertext, picked.previous_secret_ciphertext, picked.previous_secret_expires_at,
        old.lease_until as lost_lease_until
    ),
    lost as (
      insert into svc.delivery_attempts (
        account_id, mode, event_id, endpoint_id, attempt, outcome, total_ms, error, started_at, next_at
      )
      select account_id, mode, event_id, endpoint_id, attempt_count - 1, 'our_fault', $7::integer,
        'the sender ended before it recorded this attempt; it may have arrived',
        lost_lease_until - make_interval(secs => $7::integer / 1000.0), $5
      from taken where lost_lease_until is not null
    )
    select taken.*, event.body, event.sequence
    from taken
    cross join lateral (
      select body, sequence from svc.events
      where account_id = taken.account_id and mode = taken.mode and ${equalInKeyOrder('id', 'taken.event_id')}
      order by id limit 1
    ) event`,
};

type Row = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly fence: string;
  readonly attempt_count: number;
  readonly uncharged_count: number;
  readonly body: Buffer;
  readonly sequence: number;
  readonly goes_first: boolean;
  readonly url: string;
  readonly retry_count: number;
  readonly timeout_seconds: number;
  readonly headers_ciphertext: Buffer | null;
  readonly secret_ciphertext: Buffer | null;
  readonly previous_secret_ciphertext: Buffer | null;
  readonly previous_secret_expires_at: Date | null;
};

export async function leaseDeliveries(
  pool: pg.Pool,
  wanted: readonly WantedDeliveries[],
  nowMs: number,
  leaseMs: number,
): Promise<readonly LeasedDelivery[]> {
  if (wanted.length === 0) return [];
  const { rows } = await pool.query<Row>({
    ...CLAIM,
    values: [
      wanted.map(({ accountId }) => accountId),
      wanted.map(({ mode }) => mode),
      wanted.map(({ endpointId }) => endpointId),
      wanted.map(({ room }) => room),
      isoTime(nowMs),
      isoTime(nowMs + leaseMs),
      leaseMs,
      wanted.map(({ keptRoom }) => keptRoom),
    ],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    mode: row.mode,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    fence: row.fence,
    attempt: row.attempt_count,
    chargedBefore: chargedBefore(row.attempt_count, row.uncharged_count),
    sequence: row.sequence,
    goesFirst: row.goes_first,
    body: row.body,
    endpoint: {
      url: row.url,
      retryCount: row.retry_count,
      timeoutMs: row.timeout_seconds * 1_000,
      headersCiphertext: row.headers_ciphertext,
      secretCiphertext: row.secret_ciphertext,
      previousSecret: previousOf(row),
    },
  }));
}

function previousOf({ previous_secret_ciphertext: ciphertext, previous_secret_expires_at: until }: Row) {
  return ciphertext === null || until === null ? null : { ciphertext, expiresAtMs: until.getTime() };
}
