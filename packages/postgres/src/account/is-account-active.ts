import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

const IS_ACCOUNT_ACTIVE = {
  name: 'is-account-active',
  text: `select from svc.accounts where id = $1 and status = 'active'`,
};

/** False for an account that is closed or does not exist. */
export async function isAccountActive(pool: pg.Pool, accountId: Id<'account'>): Promise<boolean> {
  const { rowCount } = await pool.query({ ...IS_ACCOUNT_ACTIVE, values: [accountId] });
  return rowCount === 1;
}
