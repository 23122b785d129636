// One bounded step of one recovery. The place it has come to moves in the commit that queues, so a step that was cut off
// left nothing behind and is taken again, by whoever comes next.
import { isoTime, type Mode } from '@svc-pay/core';
import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { queueAgain } from './queue-again.ts';

const AT_ONCE = 500;

type Job = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly id: string;
  readonly endpoint_id: string;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly event_types: readonly string[] | null;
  readonly reach: 'failed' | 'all';
  readonly after_event_id: string;
  readonly total: number | null;
};

type Wanted = { readonly event_types: readonly string[]; readonly created_at: Date; readonly status: string };

/** False when there is nothing to do, or others are at it. */
export async function workRecovery(pool: pg.Pool, modes: readonly Mode[], nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<Job>(
      `select * from svc.delivery_recoveries where status = 'running' and mode = any ($1::text[])
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

/** What an endpoint did not get is not what came before it was there. */
function rangeOf(job: Job, endpoint: Wanted): Range {
  const bornMs = job.reach === 'failed' ? endpoint.created_at.getTime() : 0;
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

async function queueNext(client: pg.ClientBase, job: Job, { from, to, types }: Range, nowMs: number): Promise<void> {
  const { rows } = await client.query<{ examined: number; last: string | null; queued: number }>(
    `with page as materialized (
       select id from svc.events
       where account_id = $1 and mode = $2 and id >= $3 and id > $4 and id < $5 and type = any ($6::text[])
       order by id limit ${AT_ONCE}
     ),
     queued as (
       insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
       select $1::text, $2::text, page.id, $7::text, 'pending', $8::timestamptz, $8::timestamptz
       from page left join svc.deliveries d
         on d.account_id = $1 and d.mode = $2 and d.event_id = page.id and d.endpoint_id = $7
       where d.event_id is null or (d.lease_until is null and ($9 or d.status = 'failed'))
       order by page.id
       ${queueAgain('$8::timestamptz', `($9 or deliveries.status = 'failed')`)}
       returning 1
     )
     select (select count(*)::integer from page) as examined, (select max(id) from page) as last,
       (select count(*)::integer from queued) as queued`,
    [
      job.account_id,
      job.mode,
      from,
      job.after_event_id,
      to,
      types,
      job.endpoint_id,
      isoTime(nowMs),
      job.reach === 'all',
    ],
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
  await client.query(`update svc.delivery_recoveries set ${sets} where account_id = $1 and mode = $2 and id = $3`, [
    job.account_id,
    job.mode,
    job.id,
    ...values,
  ]);
}
