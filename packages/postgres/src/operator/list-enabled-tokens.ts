import type { Mode } from '@svc-pay/core';
import type pg from 'pg';

export async function listEnabledTokens(pool: pg.Pool, accountId: string, mode?: Mode): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ shortcode: string }>(
    'select shortcode from svc.account_tokens where account_id = $1 and ($2::text is null or mode = $2)',
    [accountId, mode ?? null],
  );
  return new Set(rows.map(({ shortcode }) => shortcode));
}
