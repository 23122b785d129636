// Writes when API keys were last used. Several processes do so at the same time: rows that another one holds are left to it,
// and a row changes at most once a minute however many processes saw the key.
import { isoTime } from '@svc-pay/core';
import type pg from 'pg';

export type KeyUse = {
  readonly accountId: string;
  readonly mode: string;
  readonly keyId: string;
  readonly atMs: number;
};

const RECORD = {
  name: 'record-key-uses',
  text: `
    with due as (
      select key.account_id, key.mode, key.id, used.at
      from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as used (account_id, mode, id, at)
      join svc.api_keys key on key.account_id = used.account_id and key.mode = used.mode and key.id = used.id
      where key.last_used_at is null or key.last_used_at <= used.at - interval '1 minute'
      for no key update of key skip locked
    )
    update svc.api_keys key set last_used_at = due.at from due
    where key.account_id = due.account_id and key.mode = due.mode and key.id = due.id`,
};

/** Returns the number of keys that were written. */
export async function recordKeyUses(pool: pg.Pool, uses: readonly KeyUse[]): Promise<number> {
  if (uses.length === 0) return 0;
  const { rowCount } = await pool.query({
    ...RECORD,
    values: [
      uses.map(({ accountId }) => accountId),
      uses.map(({ mode }) => mode),
      uses.map(({ keyId }) => keyId),
      uses.map(({ atMs }) => isoTime(atMs)),
    ],
  });
  return rowCount ?? 0;
}
