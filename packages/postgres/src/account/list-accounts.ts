import type { AccountStatus } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export type AccountRow = {
  readonly id: Id<'account'>;
  readonly name: string;
  readonly status: AccountStatus;
  readonly createdAtMs: number;
  /** Keys that are neither revoked nor expired, without those of console sessions. */
  readonly usableKeys: number;
};

type Row = {
  readonly id: Id<'account'>;
  readonly name: string;
  readonly status: AccountRow['status'];
  readonly created_at: Date;
  readonly usable_keys: number;
};

/** One account by `id`, or `limit` accounts after the one with id `after`, or all. */
export type AccountPage = {
  readonly id?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
};

/** Oldest first. */
export async function listAccounts(
  pool: pg.Pool,
  nowMs: number,
  { id: wanted, after, limit }: AccountPage = {},
): Promise<readonly AccountRow[]> {
  const { rows } = await pool.query<Row>(
    `select id, name, status, created_at, (
       select count(*)::integer from svc.api_keys key
       where key.account_id = account.id and key.revoked_at is null and key.session_id is null
         and (key.expires_at is null or key.expires_at > $1)
     ) as usable_keys
     from svc.accounts account
     where ($2::text is null or id = $2) and ($3::text is null or id > $3)
     order by id limit $4`,
    [new Date(nowMs), wanted ?? null, after ?? null, limit ?? null],
  );
  return rows.map(({ id, name, status, created_at, usable_keys }) => ({
    id,
    name,
    status,
    createdAtMs: created_at.getTime(),
    usableKeys: usable_keys,
  }));
}
