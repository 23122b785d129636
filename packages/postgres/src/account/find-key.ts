import type { StoredKey } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

type Row = {
  readonly account_id: Id<'account'>;
  readonly id: Id<'key'>;
  readonly kind: StoredKey['kind'];
  readonly mode: StoredKey['mode'];
  readonly expires_at: Date | null;
  readonly revoked: boolean;
};

const FIND_KEY = {
  name: 'find-key',
  text: `
    select key.account_id, key.id, key.kind, key.mode, key.expires_at, key.revoked_at is not null as revoked
    from svc.api_keys key
    join svc.accounts account on account.id = key.account_id and account.status = 'active'
    where key.lookup = $1`,
};

export async function findKey(pool: pg.Pool, index: Uint8Array): Promise<StoredKey | undefined> {
  const { rows } = await pool.query<Row>({ ...FIND_KEY, values: [index] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { account_id: accountId, id: keyId, kind, mode, revoked } = row;
  return { accountId, keyId, kind, mode, revoked, expiresAtMs: row.expires_at?.getTime() ?? null };
}
