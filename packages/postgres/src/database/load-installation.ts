import type pg from 'pg';
import type { Database } from './open-database.ts';

/** Names this installation in activations of direct payouts and in bound nonces. It never changes. */
export async function loadInstallationId(pool: pg.Pool | pg.ClientBase): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from svc.installation');
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no installation: run `migrate`');
  return row.id;
}

/** Reads the id once; a process may start before its database answers. */
export function createInstallationId({ pool }: Pick<Database, 'pool'>): () => Promise<string> {
  let known: string | undefined;
  return async () => {
    known ??= await loadInstallationId(pool);
    return known;
  };
}
