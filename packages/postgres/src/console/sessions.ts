// Sessions of people: begun, rotated, checked again and ended.
import { randomBytes } from 'node:crypto';
import { type ConsoleSession, FORMER_TOKEN_GRACE_MS, SESSION_LIFE_MS } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { recordPersonChange } from './record-person-change.ts';

const KEY_SALT_BYTES = 32;
const MAX_AGENT = 200;
const MAX_ADDRESS = 64;

export type NewSession = {
  readonly personId: Id<'person'>;
  readonly tokenHash: Uint8Array;
  readonly userAgent: string;
  readonly address: string;
};

type SessionEnd = 'signed_out' | 'ended' | 'expired' | 'idle' | 'secret_reused' | 'recovered' | 'disabled';

/** A session begins with a passkey check. */
export async function insertSession(
  client: pg.ClientBase,
  nowMs: number,
  { personId, tokenHash, userAgent, address }: NewSession,
): Promise<Id<'consoleSession'>> {
  const id = newId('consoleSession', nowMs);
  const now = new Date(nowMs);
  await client.query(
    `insert into svc.console_sessions (
       id, person_id, token_hash, rotated_at, key_salt, created_at, last_seen_at, expires_at, verified_at, check_id,
       user_agent, address
     ) values ($1, $2, $3, $4, $5, $4, $4, $6, $4, $7, $8, $9)`,
    [
      id,
      personId,
      tokenHash,
      now,
      randomBytes(KEY_SALT_BYTES),
      new Date(nowMs + SESSION_LIFE_MS),
      newId('passkeyCheck', nowMs),
      userAgent.slice(0, MAX_AGENT),
      address.slice(0, MAX_ADDRESS),
    ],
  );
  return id;
}

/** The token that was issued last is shown for the first time: it is the session's from now on. */
export async function promoteToken(pool: pg.Pool, sessionId: string, shown: Uint8Array, nowMs: number): Promise<void> {
  await pool.query(
    `update svc.console_sessions set
       previous_token_hash = token_hash, previous_until = $4, token_hash = $2, next_token_hash = null,
       next_issued_at = null, rotated_at = $3, last_seen_at = $3
     where id = $1 and next_token_hash = $2 and ended_at is null`,
    [sessionId, shown, new Date(nowMs), new Date(nowMs + FORMER_TOKEN_GRACE_MS)],
  );
}

/** False: another request has issued one, or the session is over. */
export async function issueToken(
  pool: pg.Pool,
  session: Pick<ConsoleSession, 'id' | 'nextIssuedAtMs'>,
  next: Uint8Array,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update svc.console_sessions set next_token_hash = $2, next_issued_at = $3
     where id = $1 and ended_at is null and next_issued_at is not distinct from $4`,
    [session.id, next, new Date(nowMs), session.nextIssuedAtMs === null ? null : new Date(session.nextIssuedAtMs)],
  );
  return rowCount === 1;
}

export async function noteSessionSeen(pool: pg.Pool, sessionId: string, nowMs: number): Promise<void> {
  await pool.query(
    'update svc.console_sessions set last_seen_at = $2 where id = $1 and ended_at is null and last_seen_at < $2',
    [sessionId, new Date(nowMs)],
  );
}

/** False if the session is over. */
export async function noteCheck(client: pg.ClientBase, sessionId: string, nowMs: number): Promise<boolean> {
  const { rowCount } = await client.query(
    'update svc.console_sessions set verified_at = $2, check_id = $3, last_seen_at = $2 where id = $1 and ended_at is null',
    [sessionId, new Date(nowMs), newId('passkeyCheck', nowMs)],
  );
  return rowCount === 1;
}

type Ending = {
  readonly personId: string;
  /** Of several: all, or all but the one that is kept. */
  readonly which: { readonly sessionId: string } | { readonly allBut: string | null };
  readonly reason: SessionEnd;
};

/** Holds the person first: see `lockOwnChanges`. Their API keys end in the same transaction. Answers ids of the sessions that ended. */
export async function endSessionsIn(
  client: pg.ClientBase,
  operation: Pick<Operation, 'nowMs' | 'actor'>,
  { personId, which, reason }: Ending,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `update svc.console_sessions set ended_at = $2, end_reason = $3
     where person_id = $1 and ended_at is null and ($4::text is null or id = $4) and ($5::text is null or id <> $5)
     returning id`,
    [
      personId,
      new Date(operation.nowMs),
      reason,
      'sessionId' in which ? which.sessionId : null,
      'allBut' in which ? which.allBut : null,
    ],
  );
  const ended = rows.map(({ id }) => id).sort();
  for (const target of ended)
    await recordPersonChange(client, operation, { action: 'session.ended', target, detail: { reason } });
  return ended;
}

/** Ids of the sessions that ended now. */
export async function endSessions(operation: Operation, ending: Ending): Promise<readonly string[]> {
  return inTransaction(operation.pool, async (client) => {
    await lockOwnChanges(client, ending.personId);
    return endSessionsIn(client, operation, ending);
  });
}

/**
 * Serializes what a person changes of their own passkeys and sessions: each change holds the session that asks, and may end the
 * session of another. A recovery, and the operator who disables a person, lock the person's row instead, which this shares.
 */
export async function lockOwnChanges(client: pg.ClientBase, personId: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc.passkeys/${personId}`]);
  await client.query('select from svc.persons where id = $1 for share', [personId]);
}

export type ListedSession = {
  readonly id: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  readonly userAgent: string;
  readonly address: string;
};

/** Sessions that are not over, newest first. */
export async function listSessions(pool: pg.Pool, personId: string, nowMs: number): Promise<readonly ListedSession[]> {
  const { rows } = await pool.query<{
    id: string;
    created_at: Date;
    last_seen_at: Date;
    expires_at: Date;
    user_agent: string;
    address: string;
  }>(
    `select id, created_at, last_seen_at, expires_at, user_agent, address from svc.console_sessions
     where person_id = $1 and ended_at is null and expires_at > $2 order by id desc limit 100`,
    [personId, new Date(nowMs)],
  );
  return rows.map(({ created_at, last_seen_at, expires_at, user_agent, ...session }) => ({
    ...session,
    createdAtMs: created_at.getTime(),
    lastSeenAtMs: last_seen_at.getTime(),
    expiresAtMs: expires_at.getTime(),
    userAgent: user_agent,
  }));
}
