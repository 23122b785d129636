// Works one bounded step of one event replay. The replay's position moves in the commit that queues the deliveries, so
// an interrupted step leaves nothing behind and the next process repeats it.
import { isoTime, type Mode } from '@svc-pay/core';
import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { insertDeliveries } from '../event/insert-event.ts';
import { queueAgain } from './requeue-delivery.ts';

const AT_ONCE = 500;

type Job = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly id: string;
  readonly endpoint_id: string;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly event_types: readonly string[] | null;
  readonly scope: 'failed' | 'all';
  readonly after_event_id: string;
  readonly total: number | null;
};

type Wanted = { readonly event_types: readonly string[]; readonly created_at: Date; readonly status: string };

/** False when no replay is running, or other processes work on all of them. */
export async function workReplay(pool: pg.Pool, modes: readonly Mode[], nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<Job>(
      `select * from svc.event_replays where status = 'running' and mode = any ($1::text[])
       order by created_at limit 1 for update skip locked`,
      [modes],
    );
    const [job] = rows;
    if (job === undefined) return false;
    const endpoint = await endpointOf(client, job);
    if (endpoint === undefined || endpoint.status === 'deleted') {
      await change(client, job, `status = 'failed', reason = 'endpoint_deleted', finished_at = $4`, [isoTime(nowMs)]);
      return true;
    }
    const range = rangeOf(job, endpoint);
    if (job.total === null) await count(client, job, range);
    else await queueNext(client, job, range, nowMs);
    return true;
  });
}

type Range = { readonly from: string; readonly to: string; readonly types: readonly string[] };

/** Scope `failed` begins at the endpoint's creation: older events were never meant for it. */
function rangeOf(job: Job, endpoint: Wanted): Range {
  const bornMs = job.scope === 'failed' ? endpoint.created_at.getTime() : 0;
  return {
    from: idBound('event', Math.max(job.from_at.getTime(), bornMs)),
    to: idBound('event', job.to_at.getTime()),
    types: job.event_types ?? endpoint.event_types,
  };
}

async function count(client: pg.ClientBase, job: Job, { from, to, types }: Range): Promise<void> {
  const { rows } = await client.query<{ total: number }>(
    `select count(*)::integer as total from svc.events
     where account_id = $1 and mode = $2 and id >= $3 and id < $4 and type = any ($5::text[])`,
    [job.account_id, job.mode, from, to, types],
  );
  await change(client, job, 'total = $4', [rows[0]?.total ?? 0]);
}

const PAGE = namedParameters({
  account_id: 'text',
  mode: 'text',
  from_id: 'text',
  after_event_id: 'text',
  to_id: 'text',
  event_types: 'text[]',
  endpoint_id: 'text',
  now: 'timestamptz',
  all: 'boolean',
});
const { account_id, mode, endpoint_id, now, all, ...bounds } = PAGE.at;
const QUEUE_NEXT = `
  with page as materialized (
    select id from svc.events
    where account_id = ${account_id} and mode = ${mode} and id >= ${bounds.from_id} and id > ${bounds.after_event_id}
      and id < ${bounds.to_id} and type = any (${bounds.event_types})
    order by id limit ${AT_ONCE}
  ),
  queued as (
    ${insertDeliveries(
      { account_id, mode, event_id: 'page.id', endpoint_id, now },
      `page left join svc.deliveries d
      on d.account_id = ${account_id} and d.mode = ${mode} and d.event_id = page.id and d.endpoint_id = ${endpoint_id}
    where d.event_id is null or (d.lease_until is null and (${all} or d.status = 'failed'))
    order by page.id`,
    )}
    ${queueAgain(now, `(${all} or deliveries.status = 'failed')`)}
    returning 1
  )
  select (select count(*)::integer from page) as examined, (select max(id) from page) as last,
    (select count(*)::integer from queued) as queued`;

async function queueNext(client: pg.ClientBase, job: Job, { from, to, types }: Range, nowMs: number): Promise<void> {
  const { rows } = await client.query<{ examined: number; last: string | null; queued: number }>(
    QUEUE_NEXT,
    PAGE.values({
      account_id: job.account_id,
      mode: job.mode,
      from_id: from,
      after_event_id: job.after_event_id,
      to_id: to,
      event_types: types,
      endpoint_id: job.endpoint_id,
      now: isoTime(nowMs),
      all: job.scope === 'all',
    }),
  );
  const { examined = 0, last = null, queued = 0 } = rows[0] ?? {};
  await change(
    client,
    job,
    `examined = examined + $4, queued = queued + $5, after_event_id = coalesce($6, after_event_id),
     status = case when $4 < ${AT_ONCE} then 'done' else status end,
     finished_at = case when $4 < ${AT_ONCE} then $7::timestamptz end`,
    [examined, queued, last, isoTime(nowMs)],
  );
}

async function endpointOf(client: pg.ClientBase, job: Job): Promise<Wanted | undefined> {
  const { rows } = await client.query<Wanted>(
    'select event_types, created_at, status from svc.endpoints where account_id = $1 and mode = $2 and id = $3',
    [job.account_id, job.mode, job.endpoint_id],
  );
  return rows[0];
}

async function change(client: pg.ClientBase, job: Job, sets: string, values: readonly unknown[]): Promise<void> {
  await client.query(`update svc.event_replays set ${sets} where account_id = $1 and mode = $2 and id = $3`, [
    job.account_id,
    job.mode,
    job.id,
    ...values,
  ]);
}
