import type { AccountStatus } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

const FIND_ACCOUNT_STATUS = { name: 'find-account-status', text: 'select status from svc.accounts where id = $1' };

/** Undefined: there is no such account. */
export async function findAccountStatus(pool: pg.Pool, accountId: Id<'account'>): Promise<AccountStatus | undefined> {
  const { rows } = await pool.query<{ status: AccountStatus }>({ ...FIND_ACCOUNT_STATUS, values: [accountId] });
  return rows[0]?.status;
}
