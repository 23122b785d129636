import type pg from 'pg';

/** Commits when `work` returns, rolls back when it throws. `work` must make no network call. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (problem) {
    await client.query('rollback').catch((failed: unknown) => {
      broken = failed instanceof Error ? failed : new Error('rollback failed');
    });
    throw problem;
  } finally {
    client.release(broken);
  }
}
