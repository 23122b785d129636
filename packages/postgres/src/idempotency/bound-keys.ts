// Idempotency keys of requests whose answer changes over time.
// The key is bound to the request hash; no answer is stored.
import { type Caller, type IdempotencyClaim, isoTime } from '@svc-pay/core';
import type pg from 'pg';

const IS_REUSED = {
  name: 'is-key-reused',
  text: 'select request_hash <> $4 as reused from svc.idempotency where account_id = $1 and mode = $2 and key = $3',
};
const BIND_KEY = {
  name: 'bind-key',
  text: `
    insert into svc.idempotency (account_id, mode, key, request_hash, created_at) values ($1, $2, $3, $4, $5)
    on conflict do nothing`,
};

export async function isKeyReused(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  { storedKey, requestHash }: IdempotencyClaim,
): Promise<boolean> {
  const { rows } = await pool.query<{ reused: boolean }>({
    ...IS_REUSED,
    values: [accountId, mode, storedKey, requestHash],
  });
  return rows[0]?.reused ?? false;
}

export async function bindKey(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  { storedKey, requestHash }: IdempotencyClaim,
  nowMs: number,
): Promise<void> {
  await pool.query({ ...BIND_KEY, values: [accountId, mode, storedKey, requestHash, isoTime(nowMs)] });
}
