import { type AbuseCount, type AbusePage, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { columnArrays } from '../database/statement-parameters.ts';

const COUNTED = columnArrays<AbuseCount>(
  {
    cause: ['text', ({ cause }) => cause],
    subject_kind: ['text', ({ kind }) => kind],
    subject: ['text', ({ subject }) => subject],
    occurrences: ['bigint', ({ count }) => count],
    paid: ['bigint', ({ paid }) => paid],
  },
  3,
);

const WRITE = {
  name: 'write-abuse-counts',
  text: `
    with counted as (select * from ${COUNTED.unnest('given')}),
    gone as (
      delete from svc.abuse_counts old
      where hour = $1::timestamptz and process = $2::uuid and not exists (
        select from counted
        where counted.cause = old.cause and counted.subject_kind = old.subject_kind and counted.subject = old.subject
      )
    )
    insert into svc.abuse_counts as old (hour, process, cause, subject_kind, subject, occurrences, paid)
    select $1, $2, cause, subject_kind, subject, occurrences, paid from counted
    on conflict (hour, process, cause, subject_kind, subject) do update
    set occurrences = excluded.occurrences, paid = excluded.paid
    where old.occurrences <> excluded.occurrences or old.paid <> excluded.paid`,
};

/** Replaces what this process wrote of the hour before. */
export async function writeAbuseCounts(pool: pg.Pool, process: string, { hourMs, counts }: AbusePage): Promise<void> {
  await pool.query({ ...WRITE, values: [isoTime(hourMs), process, ...COUNTED.values(counts)] });
}

export async function deleteOldAbuseCounts(pool: pg.Pool, beforeMs: number): Promise<void> {
  await pool.query({
    name: 'delete-abuse-counts',
    text: 'delete from svc.abuse_counts where hour < $1',
    values: [isoTime(beforeMs)],
  });
}
