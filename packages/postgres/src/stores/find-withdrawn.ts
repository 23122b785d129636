import type pg from 'pg';

/** Networks that new acceptances may not promise: settlement says so, or has not been heard of for a minute. */
export async function findWithdrawn(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ network: string }>({
    name: 'find-withdrawn-networks',
    text: `
      select network from svc.network_health
      where not offered or checked_at < now() - interval '1 minute'`,
  });
  return new Set(rows.map(({ network }) => network));
}
