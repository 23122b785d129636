import type { DeniedEntry, DeniedKind } from '@svc-pay/core';
import type pg from 'pg';

export type LoadedDenyList = { readonly version: string; readonly entries: readonly DeniedEntry[] };

type Row = {
  readonly version: string;
  readonly entries: readonly { kind: DeniedKind; value: string; expires_at_ms: number | null }[];
};

const LOAD = {
  name: 'load-denied',
  // Of the client: a connection whose other end is gone must not keep the list old.
  query_timeout: 2_000,
  text: `
    select version, (
        select coalesce(json_agg(json_build_object(
          'kind', kind, 'value', value, 'expires_at_ms', floor(extract(epoch from expires_at) * 1000)
        )), '[]') from svc.denied where expires_at is null or expires_at > now()
      ) as entries
    from svc.deny_list where version is distinct from $1::bigint`,
};

/** Undefined when the list has this version still. */
export async function loadDenied(pool: pg.Pool, known: string | null): Promise<LoadedDenyList | undefined> {
  const { rows } = await pool.query<Row>({ ...LOAD, values: [known] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const entries = row.entries.map(({ kind, value, expires_at_ms: expiresAtMs }) => ({ kind, value, expiresAtMs }));
  return { version: row.version, entries };
}
