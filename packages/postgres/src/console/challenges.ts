// Challenges for passkeys, and limits of those who ask for them.
import type pg from 'pg';

type ChallengeKind = 'sign_in' | 'invitation' | 'passkey' | 'check';
export type ChallengeOf = {
  readonly kind: ChallengeKind;
  readonly sessionId?: string | undefined;
  readonly invitationId?: string | undefined;
};

export async function putChallenge(
  pool: pg.Pool,
  hash: Uint8Array,
  of: ChallengeOf,
  expiresAtMs: number,
): Promise<void> {
  await pool.query(
    `insert into svc.webauthn_challenges (hash, kind, session_id, invitation_id, expires_at) values ($1, $2, $3, $4, $5)`,
    [hash, of.kind, of.sessionId ?? null, of.invitationId ?? null, new Date(expiresAtMs)],
  );
}

/** True once: the challenge was waiting, for the same purpose, session and invitation. Whatever the answer, it is gone. */
export async function takeChallenge(pool: pg.Pool, hash: Uint8Array, of: ChallengeOf, nowMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from svc.webauthn_challenges
     where hash = $1 and kind = $2 and session_id is not distinct from $3 and invitation_id is not distinct from $4
       and expires_at > $5`,
    [hash, of.kind, of.sessionId ?? null, of.invitationId ?? null, new Date(nowMs)],
  );
  return rowCount === 1;
}

export type SignInLimit = { readonly name: string; readonly size: number; readonly windowMs: number };

/** Takes one from the bucket, which all processes share. False: it is empty. The clock is the database's. */
export async function takeSignIn(pool: pg.Pool, { name, size, windowMs }: SignInLimit): Promise<boolean> {
  const { rows } = await pool.query<{ granted: boolean }>(
    `insert into svc.sign_in_buckets as bucket (name, full_at, granted)
     values ($1, statement_timestamp() + $2 * interval '1 ms', true)
     on conflict (name) do update set
       granted = greatest(bucket.full_at, statement_timestamp()) + $2 * interval '1 ms'
         <= statement_timestamp() + $3 * interval '1 ms',
       full_at = case
         when greatest(bucket.full_at, statement_timestamp()) + $2 * interval '1 ms'
           <= statement_timestamp() + $3 * interval '1 ms'
         then greatest(bucket.full_at, statement_timestamp()) + $2 * interval '1 ms' else bucket.full_at
       end
     returning granted`,
    [name, windowMs / size, windowMs],
  );
  return rows[0]?.granted === true;
}

const KEPT_SESSION_DAYS = 30;

/** Removes what is over. Returns how many sessions left. */
export async function removeOldSignIns(pool: pg.Pool, nowMs: number): Promise<number> {
  await pool.query('delete from svc.webauthn_challenges where expires_at < $1', [new Date(nowMs)]);
  await pool.query('delete from svc.sign_in_buckets where full_at < statement_timestamp()');
  const { rows } = await pool.query<{ gone: number }>('select svc.remove_old_sessions($1) as gone', [
    new Date(nowMs - KEPT_SESSION_DAYS * 86_400_000),
  ]);
  return rows[0]?.gone ?? 0;
}
