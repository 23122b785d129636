import type { Database } from '../database/open-database.ts';
import { RELEASE } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';

/** Returns a check for missing migrations of this release. Those of a newer release are fine: schemas only expand. */
export async function createPendingMigrations({
  pool,
}: Pick<Database, 'pool'>): Promise<() => Promise<readonly string[]>> {
  const needed = (await readMigrations(RELEASE)).map(({ name }) => name);
  return async () => {
    const known = await pool.query<{ known: boolean }>("select to_regclass('svc.svc_migrations') is not null as known");
    if (known.rows[0]?.known !== true) return needed;
    const { rows } = await pool.query<{ name: string }>('select name from svc.svc_migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return needed.filter((name) => !applied.has(name));
  };
}
