import pg from 'pg';
import { type MigrateOptions, type MigrateResult, RELEASE, refusalOf } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';

export type MigrationPlan =
  | { readonly ok: true; readonly missing: readonly string[] }
  | Extract<MigrateResult, { ok: false }>;

/** Returns the migrations that `migrate` would apply, or why it would refuse. Changes nothing. */
export async function planMigrations(url: string, options: MigrateOptions = {}): Promise<MigrationPlan> {
  const migrations = await readMigrations(options.directory ?? RELEASE);
  const client = new pg.Client({ connectionString: url, application_name: 'svc-migrate' });
  await client.connect();
  try {
    await client.query('begin transaction read only');
    const { rows } = await client.query<{ known: boolean }>(
      "select to_regclass('svc.svc_migrations') is not null as known",
    );
    const { rows: applied } =
      rows[0]?.known === true
        ? await client.query<{ name: string; checksum: string }>(
            'select name, checksum from svc.svc_migrations order by name',
          )
        : { rows: [] };
    const refusal = refusalOf(migrations, applied);
    if (refusal !== undefined) return { ok: false, ...refusal };
    return { ok: true, missing: migrations.slice(applied.length).map(({ name }) => name) };
  } finally {
    await client.end();
  }
}
