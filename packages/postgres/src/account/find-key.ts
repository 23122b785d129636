import type { KeyIndexes, StoredKey } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

type Row = {
  readonly account_id: Id<'account'>;
  readonly id: Id<'key'>;
  readonly kind: StoredKey['kind'];
  readonly mode: StoredKey['mode'];
  readonly expires_at: Date | null;
  readonly revoked: boolean;
  readonly rate_limit_per_second: number | null;
  readonly publishable_origins: readonly string[] | null;
  readonly publishable_creates: boolean;
  readonly scopes: StoredKey['scopes'] | null;
  readonly of_person: boolean;
  readonly away: 'moving' | 'moved' | null;
};

const BY_LOOKUP = `
    select key.account_id, key.id, key.kind, key.mode, key.expires_at, key.revoked_at is not null as revoked,
      key.scopes, key.person_id is not null as of_person, settings.rate_limit_per_second, settings.publishable_origins, settings.publishable_creates,
      nullif(account.status, 'active') as away
    from svc.api_keys key
    join svc.accounts account on account.id = key.account_id and account.status <> 'closed'
    join svc.account_modes settings on settings.account_id = key.account_id and settings.mode = key.mode
    where key.lookup`;

const FIND_KEY = { name: 'find-key', text: `${BY_LOOKUP} = $1` };
/** While a pepper is replaced. */
const FIND_KEY_BY_ANY = { name: 'find-key-by-any', text: `${BY_LOOKUP} = any ($1::bytea[])` };

export async function findKey(pool: pg.Pool, indexes: KeyIndexes): Promise<StoredKey | undefined> {
  const [index, ...older] = indexes;
  const { rows } = await pool.query<Row>(
    older.length === 0 ? { ...FIND_KEY, values: [index] } : { ...FIND_KEY_BY_ANY, values: [indexes] },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { account_id: accountId, id: keyId, kind, mode, revoked } = row;
  const { rate_limit_per_second: ratePerSecond } = row;
  const rights =
    kind === 'publishable' ? { origins: row.publishable_origins, creates: row.publishable_creates } : undefined;
  return {
    accountId,
    keyId,
    kind,
    mode,
    revoked,
    rights,
    scopes: row.scopes ?? undefined,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    ...(ratePerSecond !== null && { ratePerSecond }),
    ...(row.of_person && { ofPerson: true }),
    ...(row.away !== null && { away: row.away }),
  };
}
