import type { KeyOwner } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

/** Account and mode of a key; undefined for an unknown key id. */
export async function findKeyOwner(
  client: pg.Pool | pg.ClientBase,
  keyId: string,
  { sessionKeysToo } = { sessionKeysToo: true },
): Promise<KeyOwner | undefined> {
  const { rows } = await client.query<{ account_id: Id<'account'>; mode: KeyOwner['mode'] }>(
    'select account_id, mode from svc.api_keys where id = $1 and ($2 or session_id is null)',
    [keyId, sessionKeysToo],
  );
  const [row] = rows;
  return row && { accountId: row.account_id, mode: row.mode };
}
