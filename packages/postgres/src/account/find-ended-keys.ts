import { ACCOUNT_STATUS, type Caller, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIsNot } from '../database/status-sql.ts';

type HeldKey = Pick<Caller, 'accountId' | 'mode' | 'keyId'>;

const FIND = {
  name: 'find-ended-keys',
  text: `
    select held.id
    from unnest($1::text[], $2::text[], $3::text[]) as held (account_id, mode, id)
    join svc.accounts account on account.id = held.account_id
    left join svc.api_keys key on key.account_id = held.account_id and key.mode = held.mode and key.id = held.id
    where key.revoked_at is not null or key.expires_at <= $4 or account.status ${sqlIsNot(ACCOUNT_STATUS.active)}`,
};

/**
 * The ids of those keys that are revoked, have expired, or whose account is closed. A client secret is held under an id that no
 * key has: it ends with its account.
 */
export async function findEndedKeys(
  pool: pg.Pool,
  keys: readonly HeldKey[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>({
    ...FIND,
    values: [
      keys.map(({ accountId }) => accountId),
      keys.map(({ mode }) => mode),
      keys.map(({ keyId }) => keyId),
      isoTime(nowMs),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}
