import type { Mode } from '@svc-pay/core';
import type pg from 'pg';

/**
 * Locks the settings of an account and mode until the transaction ends; false when there is no such account, or it is
 * closed and `closedToo` is not said.
 */
export async function lockAccountMode(
  client: pg.ClientBase,
  accountId: string,
  mode: Mode,
  { closedToo = false }: { readonly closedToo?: boolean } = {},
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from svc.account_modes settings
     join svc.accounts account on account.id = settings.account_id
     where settings.account_id = $1 and settings.mode = $2 and (account.status = 'active' or $3)
     for no key update of settings`,
    [accountId, mode, closedToo],
  );
  return rowCount === 1;
}
