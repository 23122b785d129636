import { MAX_PASSKEYS_OF_PERSON } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { holdStanding } from '../audit/standing.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { recordPersonChange } from './record-person-change.ts';
import { endSessionsIn, insertSession, lockOwnChanges, type NewSession, noteCheck } from './sessions.ts';

export type NewPasskey = {
  readonly credentialId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly aaguid: string;
  readonly name: string;
  readonly backedUp: boolean;
};

export type KnownPasskey = Pick<NewPasskey, 'credentialId' | 'publicKey' | 'signCount'> & {
  readonly personId: Id<'person'>;
};

export type ListedPasskey = {
  /** base64url. */
  readonly credentialId: string;
  readonly name: string;
  readonly transports: readonly string[];
  readonly backedUp: boolean;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
};

const inBase64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** Usable ones alone: not revoked, and of a person who is not disabled. */
export async function findPasskey(pool: pg.Pool, credentialId: Uint8Array): Promise<KnownPasskey | undefined> {
  const { rows } = await pool.query<{ person_id: Id<'person'>; public_key: Buffer; sign_count: string }>(
    `select passkey.person_id, passkey.public_key, passkey.sign_count
     from svc.passkeys passkey join svc.persons person on person.id = passkey.person_id
     where passkey.credential_id = $1 and passkey.revoked_at is null and person.disabled_at is null`,
    [credentialId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { person_id: personId, public_key: publicKey, sign_count: signCount } = row;
  return { credentialId, personId, publicKey, signCount: Number.parseInt(signCount, 10) };
}

/** Of one person, oldest first. */
export async function listPasskeys(pool: pg.Pool, personId: string): Promise<readonly ListedPasskey[]> {
  const { rows } = await pool.query<{
    credential_id: Buffer;
    name: string;
    transports: string[];
    backed_up: boolean;
    created_at: Date;
    last_used_at: Date | null;
  }>(
    `select credential_id, name, transports, backed_up, created_at, last_used_at from svc.passkeys
     where person_id = $1 and revoked_at is null order by created_at, credential_id`,
    [personId],
  );
  return rows.map((row) => ({
    credentialId: inBase64url(row.credential_id),
    name: row.name,
    transports: row.transports,
    backedUp: row.backed_up,
    createdAtMs: row.created_at.getTime(),
    lastUsedAtMs: row.last_used_at?.getTime() ?? null,
  }));
}

/** False if the credential is registered, by whomever. */
export async function insertPasskey(
  client: pg.ClientBase,
  nowMs: number,
  personId: string,
  passkey: NewPasskey,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into svc.passkeys (
       credential_id, person_id, public_key, sign_count, transports, aaguid, name, backed_up, created_at
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (credential_id) do nothing`,
    [
      passkey.credentialId,
      personId,
      passkey.publicKey,
      passkey.signCount,
      passkey.transports,
      passkey.aaguid,
      passkey.name,
      passkey.backedUp,
      new Date(nowMs),
    ],
  );
  return rowCount === 1;
}

export type PasskeyUse = { readonly credentialId: Uint8Array; readonly signCount: number; readonly backedUp: boolean };

/** False if the passkey was revoked, or its person disabled, since it was found. Locks both until the transaction ends. */
async function usePasskey(client: pg.ClientBase, nowMs: number, personId: string, use: PasskeyUse): Promise<boolean> {
  const { rowCount: living } = await client.query(
    'select from svc.persons where id = $1 and disabled_at is null for share',
    [personId],
  );
  const { rowCount } = await client.query(
    `update svc.passkeys set sign_count = greatest(sign_count, $3), backed_up = $4, last_used_at = $5
     where credential_id = $1 and person_id = $2 and revoked_at is null`,
    [use.credentialId, personId, use.signCount, use.backedUp, new Date(nowMs)],
  );
  return living === 1 && rowCount === 1;
}

/** Begins a session. Undefined if the passkey can't be used any more. */
export async function signIn(
  { pool, nowMs, actor }: Operation,
  use: PasskeyUse,
  session: NewSession,
): Promise<Id<'consoleSession'> | undefined> {
  return inTransaction(pool, async (client) => {
    if (!(await usePasskey(client, nowMs, session.personId, use))) return undefined;
    const id = await insertSession(client, nowMs, session);
    await recordPersonChange(
      client,
      { nowMs, actor },
      {
        action: 'session.begun',
        target: id,
        detail: { passkey: inBase64url(use.credentialId) },
      },
    );
    return id;
  });
}

/** Notes a fresh check of a session. False if the passkey or the session can't be used any more. */
export async function passCheck(
  { pool, nowMs }: Operation,
  use: PasskeyUse,
  session: { readonly id: string; readonly personId: string },
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await lockOwnChanges(client, session.personId);
    return (await usePasskey(client, nowMs, session.personId, use)) && noteCheck(client, session.id, nowMs);
  });
}

export type AddedPasskey = 'added' | 'passkey_known' | 'too_many_passkeys';

export async function addPasskey(operation: Operation, personId: string, passkey: NewPasskey): Promise<AddedPasskey> {
  return inTransaction(operation.pool, async (client): Promise<AddedPasskey> => {
    if ((await lockPasskeys(client, operation, personId)) >= MAX_PASSKEYS_OF_PERSON) return 'too_many_passkeys';
    if (!(await insertPasskey(client, operation.nowMs, personId, passkey))) return 'passkey_known';
    await recordPersonChange(client, operation, passkeyChange('passkey.added', passkey.credentialId, passkey.name));
    return 'added';
  });
}

export async function renamePasskey(
  operation: Operation,
  personId: string,
  credentialId: Uint8Array,
  name: string,
): Promise<boolean> {
  return inTransaction(operation.pool, async (client) => {
    await lockPasskeys(client, operation, personId);
    const { rowCount } = await client.query(
      'update svc.passkeys set name = $3 where credential_id = $1 and person_id = $2 and revoked_at is null',
      [credentialId, personId, name],
    );
    if (rowCount !== 1) return false;
    await recordPersonChange(client, operation, passkeyChange('passkey.renamed', credentialId, name));
    return true;
  });
}

export type RevokedPasskey = 'revoked' | 'passkey_unknown' | 'last_passkey';

/** A device that is lost may be signed in: every session but the one that asks ends. */
export async function revokePasskey(
  operation: Operation,
  person: { readonly personId: string; readonly sessionId: string },
  credentialId: Uint8Array,
): Promise<RevokedPasskey> {
  const { pool, nowMs } = operation;
  return inTransaction(pool, async (client): Promise<RevokedPasskey> => {
    const count = await lockPasskeys(client, operation, person.personId);
    const { rowCount } = await client.query(
      'select from svc.passkeys where credential_id = $1 and person_id = $2 and revoked_at is null',
      [credentialId, person.personId],
    );
    if (rowCount !== 1) return 'passkey_unknown';
    if (count < 2) return 'last_passkey';
    await client.query('update svc.passkeys set revoked_at = $2 where credential_id = $1', [
      credentialId,
      new Date(nowMs),
    ]);
    await recordPersonChange(client, operation, passkeyChange('passkey.revoked', credentialId));
    const which = { allBut: person.sessionId };
    await endSessionsIn(client, operation, { personId: person.personId, which, reason: 'ended' });
    return 'revoked';
  });
}

const passkeyChange = (action: string, credentialId: Uint8Array, name?: string) => ({
  action,
  target: inBase64url(credentialId),
  ...(name !== undefined && { detail: { name } }),
});

/** Number of usable ones. */
async function lockPasskeys(client: pg.ClientBase, operation: Operation, personId: string): Promise<number> {
  await lockOwnChanges(client, personId);
  await holdStanding(client, operation);
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::integer as count from svc.passkeys where person_id = $1 and revoked_at is null',
    [personId],
  );
  return rows[0]?.count ?? 0;
}
