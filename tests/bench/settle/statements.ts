// Where PostgreSQL's time goes, statement by statement.
import type pg from 'pg';

export const STATEMENT_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
};
const HEAVIEST = 16;

export async function forgetStatements(pool: pg.Pool): Promise<void> {
  await pool.query('select pg_stat_statements_reset()');
}

type Row = { readonly calls: string; readonly ms: number; readonly plan_ms: number; readonly query: string };

/** Since they were last forgotten, the dearest first. */
export async function heaviestStatements(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<Row>(
    `select calls::text, total_exec_time as ms, total_plan_time as plan_ms, query from pg_stat_statements
     where toplevel order by total_exec_time + total_plan_time desc limit ${HEAVIEST}`,
  );
  return rows.map(({ calls, ms, plan_ms, query }) => {
    const text = query.replaceAll(/\s+/g, ' ').trim().slice(0, 110);
    return `${(ms + plan_ms).toFixed(0).padStart(8)} ms (planning ${plan_ms.toFixed(0)}) ${calls.padStart(7)} calls  ${text}`;
  });
}
