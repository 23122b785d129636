// Serializes changes of the keys of one account and mode: which key signs depends on all of them.
import { type KeyKind, type Mode, signingKeyAt } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { lockAccountMode } from './lock-account-mode.ts';

export type KeyState = {
  readonly id: Id<'key'>;
  readonly kind: KeyKind;
  readonly hint: string;
  readonly signing: boolean;
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
  readonly scoped: boolean;
};

export type LockedKeys = {
  readonly keys: readonly KeyState[];
  /** The key that signs now. */
  readonly signing: KeyState | undefined;
};

type Row = {
  readonly id: Id<'key'>;
  readonly kind: KeyKind;
  readonly hint: string;
  readonly signing: boolean;
  readonly expires_at: Date | null;
  readonly revoked: boolean;
  readonly scoped: boolean;
};

/**
 * Locks the keys of an account and mode until the transaction ends; undefined where `lockAccountMode` finds no account.
 * If the key marked as signing has expired, the mark moves to the key that signs now.
 */
export async function lockKeys(
  client: pg.ClientBase,
  accountId: string,
  mode: Mode,
  nowMs: number,
  accounts?: Parameters<typeof lockAccountMode>[3],
): Promise<LockedKeys | undefined> {
  if (!(await lockAccountMode(client, accountId, mode, accounts))) return undefined;
  const { rows } = await client.query<Row>(
    `select id, kind, hint, signing, expires_at, revoked_at is not null as revoked, scopes is not null as scoped
     from svc.api_keys where account_id = $1 and mode = $2 order by id`,
    [accountId, mode],
  );
  const stored = rows.map(({ expires_at, ...key }) => ({ ...key, expiresAtMs: expires_at?.getTime() ?? null }));
  const candidates = stored.filter(({ kind, scoped }) => kind === 'secret' && !scoped);
  const signing = signingKeyAt(candidates, nowMs);
  if (signing !== undefined && !signing.signing) await markSigning(client, accountId, mode, signing.id);
  const keys = stored.map((key) => ({ ...key, signing: key.id === signing?.id }));
  return { keys, signing: keys.find((key) => key.signing) };
}

/** Clears the old mark before it sets the new one, so that two keys are never marked. */
export async function markSigning(client: pg.ClientBase, accountId: string, mode: Mode, keyId: string): Promise<void> {
  await client.query('update svc.api_keys set signing = false where account_id = $1 and mode = $2 and signing', [
    accountId,
    mode,
  ]);
  await client.query('update svc.api_keys set signing = true where account_id = $1 and mode = $2 and id = $3', [
    accountId,
    mode,
    keyId,
  ]);
}
