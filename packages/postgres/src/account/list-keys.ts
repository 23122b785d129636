import { type KeyKind, type KeyScope, keyStateAt, type Mode, signingKeyAt } from '@svc-pay/core';
import type pg from 'pg';

export type KeyRow = {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly kind: KeyKind;
  readonly hint: string;
  /** Public; null for secret keys. */
  readonly publishableText: string | null;
  readonly state: 'usable' | 'expired' | 'revoked';
  /** True if webhooks are signed with this key now. */
  readonly signs: boolean;
  /** Null: everything that a key of this kind may do. */
  readonly scopes: readonly KeyScope[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** Exact to a minute; null if the key was never used. */
  readonly lastUsedAtMs: number | null;
};

type Row = {
  readonly id: string;
  readonly account_id: string;
  readonly mode: Mode;
  readonly kind: KeyKind;
  readonly hint: string;
  readonly publishable_text: string | null;
  readonly signing: boolean;
  readonly created_at: Date;
  readonly scopes: readonly KeyScope[] | null;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked: boolean;
};

export type KeyFilter = { readonly accountId?: string | undefined; readonly mode?: Mode | undefined };

/** Without keys of console sessions, which end by themselves. */
export async function listKeys(pool: pg.Pool, filter: KeyFilter, nowMs: number): Promise<readonly KeyRow[]> {
  const { rows } = await pool.query<Row>(
    `select id, account_id, mode, kind, hint, publishable_text, signing, scopes, created_at, expires_at,
       last_used_at, revoked_at is not null as revoked
     from svc.api_keys
     where ($1::text is null or account_id = $1) and ($2::text is null or mode = $2) and session_id is null
     order by account_id, mode desc, id`,
    [filter.accountId ?? null, filter.mode ?? null],
  );
  const stored = rows.map((row) => ({ ...row, expiresAtMs: row.expires_at?.getTime() ?? null }));
  const bySigner = Map.groupBy(
    stored.filter(({ kind, scopes }) => kind === 'secret' && scopes === null),
    ({ account_id, mode }) => `${account_id}/${mode}`,
  );
  const signers = new Set([...bySigner.values()].map((keys) => signingKeyAt(keys, nowMs)?.id));
  return stored.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    mode: row.mode,
    kind: row.kind,
    hint: row.hint,
    publishableText: row.publishable_text,
    state: keyStateAt(row, nowMs),
    signs: signers.has(row.id),
    scopes: row.scopes,
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: row.expiresAtMs,
    lastUsedAtMs: row.last_used_at?.getTime() ?? null,
  }));
}
