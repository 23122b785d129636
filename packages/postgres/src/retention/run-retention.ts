// One run of retention: partitions for the coming time, rows that had none, and partitions that are no longer kept.
import { join } from 'node:path';
import { type ArchiveChoice, type Clock, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { loadInstallationId } from '../database/load-installation.ts';
import { PARTITIONS_READY } from '../database/partitions-ready.ts';
import { tryForLock } from '../database/try-for-lock.ts';
import { listExpiredPartitions } from './expired-partitions.ts';
import { type RetireDeps, type Retired, retirePartition } from './retire-partition.ts';

export type RetentionOptions = {
  readonly archive: ArchiveChoice;
  /** Absent unless `archive` is `directory`. */
  readonly archiveDirectory?: string | undefined;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly onRetired: (partition: string, retired: Retired) => void;
  readonly onFailure: (partition: string, problem: unknown) => void;
  readonly onStep?: NonNullable<RetireDeps['onStep']>;
};

/** Months and days that one run creates for rows without one; the next run goes on. */
const MOST_STRAY = 100;
/** One call makes some partitions, so that it holds few locks. */
const MOST_CALLS = 100;
/** A new partition needs the default one of its table for itself, and every statement on the table waits meanwhile. */
const LOCK_TIMEOUT_MS = 250;
const LOCK = `hashtextextended('svc.retention', 0)`;

/** False when another process is at it. Throws if the partitions of the coming months could not be made. */
export async function runRetention(pool: pg.Pool, options: RetentionOptions): Promise<boolean> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${LOCK}) as taken`);
    if (rows[0]?.taken !== true) {
      broken = false;
      return false;
    }
    const left = await retireAll(client, options);
    await noteRun(client, options.clock.nowMs(), left);
    await client.query(`select pg_advisory_unlock(${LOCK})`);
    broken = false;
    return true;
  } finally {
    // Ending the session releases the lock, and a transaction that was left open.
    client.release(broken);
  }
}

/** Returns what was left undone, for people. */
async function retireAll(client: pg.PoolClient, options: RetentionOptions): Promise<readonly string[]> {
  await client.query(`set statement_timeout = 0; set lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
  try {
    await makePartitions(client, options.stop);
    const installation = await loadInstallationId(client);
    const directory = join(options.archiveDirectory ?? '', installation);
    const left: string[] = [];
    for (const expired of await listExpiredPartitions(client)) {
      options.stop.throwIfAborted();
      try {
        const retired = await retirePartition(expired, { ...options, client, installation, directory });
        options.onRetired(expired.partition, retired);
        if (retired.outcome === 'waits') left.push(`${expired.partition}: ${retired.reason}`);
      } catch (problem) {
        if (options.stop.aborted) throw problem;
        options.onFailure(expired.partition, problem);
        left.push(`${expired.partition}: ${problem instanceof Error ? problem.message : 'failed'}`);
      }
    }
    return left;
  } finally {
    await client.query('reset statement_timeout; reset lock_timeout');
  }
}

async function makePartitions(client: pg.PoolClient, stop: AbortSignal): Promise<void> {
  const ensure = (monthsBack: number, monthsAhead: number, at?: Date) =>
    tryForLock(stop, () =>
      client.query('select svc.ensure_partitions($1, $2, coalesce($3, now()))', [monthsBack, monthsAhead, at ?? null]),
    );
  await untilNothing(() => tryForLock(stop, () => client.query('select svc.drop_replaced_partitions()')));
  await untilNothing(() => ensure(PARTITIONS_READY.monthsBack, PARTITIONS_READY.monthsAhead));
  let before: number | undefined;
  for (let moved = 0; moved < MOST_STRAY; moved += 1) {
    const { rows } = await client.query<{ first: Date | null }>('select svc.oldest_stray_month() as first');
    const first = rows[0]?.first ?? undefined;
    // The same again: its rows can't be moved, because a detached partition has its name.
    if (first === undefined || first.getTime() === before) return;
    before = first.getTime();
    await ensure(0, 0, first);
  }
}

async function untilNothing(call: () => Promise<pg.QueryResult>): Promise<void> {
  for (let calls = 0; calls < MOST_CALLS && (await call()).rowCount !== 0; calls += 1);
}

async function noteRun(client: pg.PoolClient, nowMs: number, left: readonly string[]): Promise<void> {
  const problem = left.length === 0 ? null : left.join('; ').slice(0, 2_000);
  await client.query(
    `insert into svc.retention_runs as run (finished_at, succeeded_at, problem)
     values ($1::timestamptz, case when $2::text is null then $1::timestamptz end, $2)
     on conflict (only_row) do update
     set finished_at = excluded.finished_at, succeeded_at = coalesce(excluded.succeeded_at, run.succeeded_at),
       problem = excluded.problem`,
    [isoTime(nowMs), problem],
  );
}
