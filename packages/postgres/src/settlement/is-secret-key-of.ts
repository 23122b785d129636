import { isoTime, type Mode } from '@svc-pay/core';
import type pg from 'pg';

/** The API caches keys for at most this long, and asks in the name of a key that was revoked or has expired meanwhile. */
const LONGEST_KEY_CACHE_MS = 60_000;

/** Settlement is asked in the name of a key: it must be a secret key of the account. */
export async function isSecretKeyOf(
  client: pg.ClientBase,
  { accountId, mode }: { readonly accountId: string; readonly mode: Mode },
  keyId: string,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is-secret-key-of',
    text: `
      select from svc.api_keys
      where account_id = $1 and mode = $2 and id = $3 and kind = 'secret'
        and (revoked_at is null or revoked_at > $4) and (expires_at is null or expires_at > $4)`,
    values: [accountId, mode, keyId, isoTime(nowMs - LONGEST_KEY_CACHE_MS)],
  });
  return rowCount === 1;
}
