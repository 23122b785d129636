// Works one bounded step of one event replay. The replay's position moves in the commit that queues the deliveries, so
// an interrupted step leaves nothing behind and the next process repeats it.
import {
  decideReplayStep,
  type EndpointFacts,
  isLastPage,
  isoTime,
  type Mode,
  type ReplayRange,
  type ReplayStep,
} from '@svc-pay/core';
import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { insertDeliveries } from '../event/insert-event.ts';
import { lockSentAgain } from '../event/lock-sent-again.ts';
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

type Wanted = {
  readonly event_types: readonly string[];
  readonly created_at: Date;
  readonly status: EndpointFacts['status'];
};

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
    const step = decideReplayStep(
      { ...job, fromMs: job.from_at.getTime(), toMs: job.to_at.getTime(), types: job.event_types },
      await endpointOf(client, job),
    );
    if (step.next === 'fail') {
      await change(client, job, `status = 'failed', reason = $5, finished_at = $4`, [isoTime(nowMs), step.reason]);
    } else if (step.next === 'count') await count(client, job, step.range);
    else await queueNext(client, job, step, nowMs);
    return true;
  });
}

const boundsOf = ({ fromMs, toMs }: ReplayRange) => ({ from: idBound('event', fromMs), to: idBound('event', toMs) });

async function count(client: pg.ClientBase, job: Job, range: ReplayRange): Promise<void> {
  const { from, to } = boundsOf(range);
  const { rows } = await client.query<{ total: number }>(
    `select count(*)::integer as total from svc.events
     where account_id = $1 and mode = $2 and id >= $3 and id < $4 and type = any ($5::text[])`,
    [job.account_id, job.mode, from, to, range.types],
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
  statuses: 'text[]',
});
const { account_id, mode, endpoint_id, now, statuses, ...bounds } = PAGE.at;
const QUEUE_NEXT = `
  with page as materialized (
    select id from svc.events
    where account_id = ${account_id} and mode = ${mode} and id >= ${bounds.from_id} and id > ${bounds.after_event_id}
      and id < ${bounds.to_id} and type = any (${bounds.event_types})
    order by id limit ${AT_ONCE}
  ),
  queued as (
    ${insertDeliveries(
      // As ordinary ones: thousands of old events must not delay a payment of now.
      { account_id, mode, event_id: 'page.id', endpoint_id, now, goes_first: 'false' },
      `page left join svc.deliveries d
      on d.account_id = ${account_id} and d.mode = ${mode} and d.event_id = page.id and d.endpoint_id = ${endpoint_id}
    where d.event_id is null or (d.lease_until is null and d.status = any (${statuses}))
    order by page.id`,
    )}
    ${queueAgain(now, `deliveries.status = any (${statuses})`)}
    returning 1
  )
  select (select count(*)::integer from page) as examined, (select max(id) from page) as last,
    (select count(*)::integer from queued) as queued`;

async function queueNext(
  client: pg.ClientBase,
  job: Job,
  step: Extract<ReplayStep, { readonly next: 'queue' }>,
  nowMs: number,
): Promise<void> {
  const { from, to } = boundsOf(step.range);
  await lockSentAgain(client);
  const { rows } = await client.query<{ examined: number; last: string | null; queued: number }>(
    QUEUE_NEXT,
    PAGE.values({
      account_id: job.account_id,
      mode: job.mode,
      from_id: from,
      after_event_id: job.after_event_id,
      to_id: to,
      event_types: step.range.types,
      endpoint_id: job.endpoint_id,
      now: isoTime(nowMs),
      statuses: step.statuses,
    }),
  );
  const { examined = 0, last = null, queued = 0 } = rows[0] ?? {};
  const done = isLastPage(examined, AT_ONCE);
  await change(
    client,
    job,
    `examined = examined + $4, queued = queued + $5, after_event_id = coalesce($6, after_event_id), status = $7,
     finished_at = $8`,
    [examined, queued, last, done ? 'done' : 'running', done ? isoTime(nowMs) : null],
  );
}

async function endpointOf(client: pg.ClientBase, job: Job) {
  const { rows } = await client.query<Wanted>(
    'select event_types, created_at, status from svc.endpoints where account_id = $1 and mode = $2 and id = $3',
    [job.account_id, job.mode, job.endpoint_id],
  );
  const [row] = rows;
  return row && { status: row.status, createdAtMs: row.created_at.getTime(), eventTypes: row.event_types };
}

async function change(client: pg.ClientBase, job: Job, sets: string, values: readonly unknown[]): Promise<void> {
  await client.query(`update svc.event_replays set ${sets} where account_id = $1 and mode = $2 and id = $3`, [
    job.account_id,
    job.mode,
    job.id,
    ...values,
  ]);
}
