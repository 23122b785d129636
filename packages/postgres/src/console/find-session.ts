import { ACCOUNT_STATUS, type ConsoleSession, type PersonRole } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

type MemberOf = {
  readonly accountId: Id<'account'>;
  readonly accountName: string;
  readonly role: PersonRole;
  /** Another one with each change of the role. */
  readonly rightsId: string;
};

/** A session as it is stored: whether it is alive is judged by core. */
export type FoundSession = ConsoleSession & {
  /** Of accounts that are not closed, oldest first. */
  readonly memberships: readonly MemberOf[];
};

type Row = {
  readonly id: Id<'consoleSession'>;
  readonly person_id: Id<'person'>;
  readonly person_name: string;
  readonly person_disabled: boolean;
  readonly operator_view: boolean;
  readonly token_hash: Buffer;
  readonly rotated_at: Date;
  readonly next_token_hash: Buffer | null;
  readonly next_issued_at: Date | null;
  readonly previous_token_hash: Buffer | null;
  readonly previous_until: Date | null;
  readonly key_salt: Buffer;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
  readonly verified_at: Date;
  readonly check_id: Id<'passkeyCheck'>;
  readonly ended_at: Date | null;
  readonly memberships: readonly MemberOf[] | null;
};

const FIND = {
  name: 'find-console-session',
  text: `
    select session.id, session.person_id, person.name as person_name, person.disabled_at is not null as person_disabled,
      person.operator_view, session.token_hash, session.rotated_at, session.next_token_hash, session.next_issued_at,
      session.previous_token_hash, session.previous_until, session.key_salt, session.created_at, session.last_seen_at,
      session.expires_at, session.verified_at, session.check_id, session.ended_at,
      (
        select json_agg(
          json_build_object(
            'accountId', account.id, 'accountName', account.name, 'role', member.role, 'rightsId', member.rights_id
          ) order by account.id
        )
        from svc.memberships member
        join svc.accounts account on account.id = member.account_id and account.status ${sqlIs(ACCOUNT_STATUS.active)}
        where member.person_id = session.person_id
      ) as memberships
    from svc.console_sessions session
    join svc.persons person on person.id = session.person_id
    where session.token_hash = $1 or session.next_token_hash = $1 or session.previous_token_hash = $1`,
};

/** The session that has, is about to have, or last had the token with this hash. */
export async function findSession(pool: pg.Pool, tokenHash: Uint8Array): Promise<FoundSession | undefined> {
  const { rows } = await pool.query<Row>({ ...FIND, values: [tokenHash] });
  const [row] = rows;
  return row === undefined
    ? undefined
    : {
        id: row.id,
        personId: row.person_id,
        personName: row.person_name,
        personDisabled: row.person_disabled,
        operatorView: row.operator_view,
        tokenHash: row.token_hash,
        rotatedAtMs: row.rotated_at.getTime(),
        nextTokenHash: row.next_token_hash,
        nextIssuedAtMs: row.next_issued_at?.getTime() ?? null,
        previousTokenHash: row.previous_token_hash,
        previousUntilMs: row.previous_until?.getTime() ?? null,
        keySalt: row.key_salt,
        createdAtMs: row.created_at.getTime(),
        lastSeenAtMs: row.last_seen_at.getTime(),
        expiresAtMs: row.expires_at.getTime(),
        verifiedAtMs: row.verified_at.getTime(),
        checkId: row.check_id,
        endedAtMs: row.ended_at?.getTime() ?? null,
        memberships: row.memberships ?? [],
      };
}
