// The row of an API key that belongs to a console session. Its text is derived from the token of the session and stored nowhere.
import { isoTime, type KeyScope, type Mode, type SessionKeyLevel } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';

export type SessionKeyToMake = {
  readonly sessionId: string;
  readonly personId: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly level: SessionKeyLevel;
  /** Check that a key of level `fresh` belongs to. */
  readonly checkId: string | null;
  /** Rights that the scopes were judged by. */
  readonly rightsId: string;
  readonly index: Uint8Array;
  readonly hint: string;
  readonly scopes: readonly KeyScope[];
  readonly expiresAtMs: number;
};

const KEY = namedParameters({
  account_id: 'text',
  mode: 'text',
  id: 'text',
  kind: 'text',
  lookup: 'bytea',
  hint: 'text',
  signing: 'boolean',
  scopes: 'text[]',
  session_id: 'text',
  person_id: 'text',
  session_level: 'text',
  session_check: 'text',
  session_rights: 'uuid',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
});
const INSERT = `${insertText('svc.api_keys', KEY.at)} on conflict do nothing`;
const FIND = `
  select id, revoked_at is not null as revoked from svc.api_keys
  where session_id = $1 and account_id = $2 and mode = $3 and session_level = $4 and coalesce(session_check, '') = $5
    and session_rights = $6`;

/** Of the key that there is now. `over`: it was revoked, or the session or the rights ended meanwhile. */
export type MadeSessionKey =
  | { readonly ok: true; readonly keyId: string; readonly made: boolean }
  | { readonly ok: false; readonly code: 'over' };

/** Safe to repeat: a session has one key for each account, mode, level and role, and of level `fresh` one for each check. */
export async function makeSessionKey(operation: Operation, key: SessionKeyToMake): Promise<MadeSessionKey> {
  try {
    return await inTransaction(operation.pool, (client) => insertOrFind(client, operation, key));
  } catch (problem) {
    if (isOfConstraint(problem, 'session_key_is_alive')) return { ok: false, code: 'over' };
    throw problem;
  }
}

async function insertOrFind(
  client: pg.ClientBase,
  { nowMs, actor }: Operation,
  key: SessionKeyToMake,
): Promise<MadeSessionKey> {
  const { accountId, mode, level, checkId, scopes } = key;
  const id: Id<'key'> = newId('key', nowMs);
  const inserted = await client.query(INSERT, [
    ...KEY.values({
      account_id: accountId,
      mode,
      id,
      kind: 'secret',
      lookup: key.index,
      hint: key.hint,
      signing: false,
      scopes,
      session_id: key.sessionId,
      person_id: key.personId,
      session_level: level,
      session_check: checkId,
      session_rights: key.rightsId,
      created_at: isoTime(nowMs),
      expires_at: isoTime(key.expiresAtMs),
    }),
  ]);
  if (inserted.rowCount === 1) {
    const detail = { level, scopes, session: key.sessionId };
    await writeAudit(client, nowMs, { accountId, mode, actor, action: 'session_key.created', target: id, detail });
    return { ok: true, keyId: id, made: true };
  }
  const { rows } = await client.query<{ id: string; revoked: boolean }>(FIND, [
    key.sessionId,
    accountId,
    mode,
    level,
    checkId ?? '',
    key.rightsId,
  ]);
  const [known] = rows;
  return known === undefined || known.revoked
    ? { ok: false, code: 'over' }
    : { ok: true, keyId: known.id, made: false };
}

function isOfConstraint(problem: unknown, constraint: string): boolean {
  return problem instanceof Error && 'constraint' in problem && problem.constraint === constraint;
}
