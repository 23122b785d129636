// How retention goes, for metrics and the doctor.
import type { PartitionReport, RetentionReport } from '@svc-pay/core';
import type pg from 'pg';

type Run = {
  readonly succeeded_at: Date;
  readonly problem: string | null;
  readonly oldest_answer: Date | null;
};

export async function reportRetention(pool: pg.Pool): Promise<RetentionReport> {
  const [tables, runs] = await Promise.all([
    pool.query<PartitionReport>(
      `select table_name as "tableName", days_ahead as "daysAhead", has_stray_rows as "hasStrayRows", expired
       from svc.report_partitions()`,
    ),
    pool.query<Run>(
      `select coalesce(run.succeeded_at, installation.created_at) as succeeded_at, run.problem,
         (select min(created_at) from svc.idempotency) as oldest_answer
       from svc.installation left join svc.retention_runs run on true`,
    ),
  ]);
  const [run] = runs.rows;
  if (run === undefined) throw new Error('the database has no installation: run `migrate`');
  return {
    succeededAtMs: run.succeeded_at.getTime(),
    problem: run.problem,
    tables: tables.rows,
    oldestAnswerAtMs: run.oldest_answer?.getTime() ?? null,
  };
}
