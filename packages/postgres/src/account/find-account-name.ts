import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

const FIND_ACCOUNT_NAME = {
  name: 'find-account-name',
  text: 'select name from svc.accounts where id = $1',
};

/** Undefined for an account that does not exist. */
export async function findAccountName(pool: pg.Pool, accountId: Id<'account'>): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string }>({ ...FIND_ACCOUNT_NAME, values: [accountId] });
  return rows[0]?.name;
}
