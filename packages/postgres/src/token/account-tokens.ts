import { findChain, findToken, type Mode } from '@svc-pay/core';
import type pg from 'pg';
import { lockAccountMode } from '../account/lock-account-mode.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

export type TokenChange = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly shortcodes: readonly string[];
};

export type ChangedTokens =
  /** Shortcodes that this call changed; the others already were enabled or disabled. */
  | { readonly ok: true; readonly changed: readonly string[] }
  | { readonly ok: false; readonly code: 'account_unknown' }
  | { readonly ok: false; readonly code: 'token_unknown' | 'token_of_other_mode'; readonly shortcode: string };

/** Enables all shortcodes or none: an unknown shortcode changes nothing. */
export async function enableTokens(operation: Operation, change: TokenChange): Promise<ChangedTokens> {
  for (const shortcode of change.shortcodes) {
    const known = findToken(shortcode);
    if (known === undefined) return { ok: false, code: 'token_unknown', shortcode };
    if (findChain(known.network)?.mode !== change.mode) return { ok: false, code: 'token_of_other_mode', shortcode };
  }
  return changeTokens(
    operation,
    change,
    'token.enabled',
    `insert into svc.account_tokens (account_id, mode, shortcode, enabled_at)
     select $1, $2, shortcode, $4 from unnest($3::text[]) as shortcode
     on conflict do nothing returning shortcode`,
    [change.accountId, change.mode, change.shortcodes, new Date(operation.nowMs)],
  );
}

/** Also accepts a shortcode that the catalogue no longer has. Existing intents stay payable. */
export async function disableTokens(operation: Operation, change: TokenChange): Promise<ChangedTokens> {
  return changeTokens(
    operation,
    change,
    'token.disabled',
    'delete from svc.account_tokens where account_id = $1 and mode = $2 and shortcode = any ($3) returning shortcode',
    [change.accountId, change.mode, change.shortcodes],
  );
}

async function changeTokens(
  { pool, nowMs, actor }: Operation,
  { accountId, mode }: TokenChange,
  action: string,
  statement: string,
  values: readonly unknown[],
): Promise<ChangedTokens> {
  return inTransaction(pool, async (client): Promise<ChangedTokens> => {
    if (!(await lockAccountMode(client, accountId, mode))) return { ok: false, code: 'account_unknown' };
    const { rows } = await client.query<{ shortcode: string }>(statement, [...values]);
    const changed = rows.map(({ shortcode }) => shortcode);
    for (const target of changed) await writeAudit(client, nowMs, { accountId, mode, actor, action, target });
    return { ok: true, changed };
  });
}

export async function listEnabledTokens(pool: pg.Pool, accountId: string, mode?: Mode): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ shortcode: string }>(
    'select shortcode from svc.account_tokens where account_id = $1 and ($2::text is null or mode = $2)',
    [accountId, mode ?? null],
  );
  return new Set(rows.map(({ shortcode }) => shortcode));
}
