import type pg from 'pg';

/** Stands for every account. */
export const EVERY_ACCOUNT = '*';

export type ReadChanges = {
  readonly version: number;
  /** Accounts whose keys or settings changed above the version that the caller knows, or `EVERY_ACCOUNT`. */
  readonly changed: readonly string[];
};

const READ_CHANGES = {
  name: 'read-setting-changes',
  text: `
    select current.version::float8 as version,
      array(select account_id from svc.changed_settings where version > $1::bigint order by version) as changed
    from svc.settings_version current`,
};

/** `above` undefined: the version alone. */
export async function readChanges(pool: pg.Pool, above: number | undefined): Promise<ReadChanges> {
  const { rows } = await pool.query<ReadChanges>({ ...READ_CHANGES, values: [above ?? null] });
  const [row] = rows;
  if (row === undefined) throw new Error('svc.settings_version has no row');
  return row;
}
