// Every column with a secret that is sealed under a master key, and how many secrets each master key has sealed there.
import { endpointContext, type SecretContext, secretKeyContext } from '@svc-pay/core';
import type pg from 'pg';

export type SealedColumn = {
  readonly table: 'api_keys' | 'endpoints';
  readonly column: 'ciphertext' | 'secret_ciphertext' | 'previous_secret_ciphertext' | 'headers_ciphertext';
  /** Context that the secrets of a row are bound to. */
  readonly contextOf: (accountId: string, id: string) => SecretContext;
};

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'api_keys', column: 'ciphertext', contextOf: secretKeyContext },
  {
    table: 'endpoints',
    column: 'secret_ciphertext',
    contextOf: (accountId, id) => endpointContext(accountId, id, 'endpoint-secret'),
  },
  {
    table: 'endpoints',
    column: 'previous_secret_ciphertext',
    contextOf: (accountId, id) => endpointContext(accountId, id, 'endpoint-secret'),
  },
  {
    table: 'endpoints',
    column: 'headers_ciphertext',
    contextOf: (accountId, id) => endpointContext(accountId, id, 'endpoint-headers'),
  },
];

/** SQL for the number of the master key that opens the ciphertext; `sealedUnder` of core says the same. */
export const sqlSealedUnder = (column: string): string =>
  `(case get_byte(${column}, 0) when 0 then get_byte(${column}, 1) else get_byte(${column}, 0) end)`;

export type SealedCount = { readonly column: string; readonly masterKey: number; readonly count: number };

/** Counted by column (`endpoints.secret_ciphertext`) and number of the master key. Reads both tables once. */
export async function countSealed(pool: pg.Pool): Promise<readonly SealedCount[]> {
  const each = SEALED_COLUMNS.map(
    ({ table, column }) =>
      `select '${table}.${column}' as "column", ${sqlSealedUnder(column)} as "masterKey", count(*)::integer as count
       from svc.${table} where ${column} is not null group by 2`,
  );
  const { rows } = await pool.query<SealedCount>(`${each.join('\nunion all\n')}\norder by 1, 2`);
  return rows;
}
