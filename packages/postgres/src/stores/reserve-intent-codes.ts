import type pg from 'pg';

const RESERVE = {
  name: 'reserve-intent-codes',
  text: 'select svc.next_intent_code() as code from generate_series(1, $1)',
};

/** Codes that nobody else gets, below 2^53. What is not used is gone. */
export async function reserveIntentCodes(pool: pg.Pool, count: number): Promise<readonly number[]> {
  const { rows } = await pool.query<{ code: string }>({ ...RESERVE, values: [count] });
  return rows.map(({ code }) => Number(code));
}
