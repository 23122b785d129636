// People of an account, and persons as the operator sees them.
import { judgeMembershipChange, type MembershipChange, type PersonRole, type StoredMember } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { holdStanding } from '../audit/standing.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockPeople, MAKER_MAY } from './invitations.ts';
import { recordPersonChange } from './record-person-change.ts';
import { endSessionsIn } from './sessions.ts';

type ListedMember = StoredMember & {
  readonly name: string;
  readonly joinedAtMs: number;
  readonly lastSeenAtMs: number | null;
  readonly disabled: boolean;
};
type OpenInvitation = {
  readonly id: string;
  readonly name: string;
  readonly role: PersonRole;
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
};
export type PeopleOfAccount = {
  readonly members: readonly ListedMember[];
  readonly invitations: readonly OpenInvitation[];
};

export async function listPeople(pool: pg.Pool, accountId: string, nowMs: number): Promise<PeopleOfAccount> {
  const { rows: members } = await pool.query<{
    person_id: string;
    role: PersonRole;
    name: string;
    created_at: Date;
    seen_at: Date | null;
    disabled: boolean;
  }>(
    `select member.person_id, member.role, person.name, member.created_at, person.disabled_at is not null as disabled,
       (select max(last_seen_at) from svc.console_sessions where person_id = person.id) as seen_at
     from svc.memberships member join svc.persons person on person.id = member.person_id
     where member.account_id = $1 order by member.created_at, member.person_id`,
    [accountId],
  );
  const { rows: invitations } = await pool.query<{
    id: string;
    name: string;
    role: PersonRole;
    created_by: string;
    created_at: Date;
    expires_at: Date;
  }>(
    `select id, name, role, created_by, created_at, expires_at from svc.invitations invitation
     where account_id = $1 and used_at is null and revoked_at is null and expires_at > $2 and (${MAKER_MAY})
     order by id`,
    [accountId, new Date(nowMs)],
  );
  return {
    members: members.map((row) => ({
      personId: row.person_id,
      role: row.role,
      name: row.name,
      joinedAtMs: row.created_at.getTime(),
      lastSeenAtMs: row.seen_at?.getTime() ?? null,
      disabled: row.disabled,
    })),
    invitations: invitations.map(({ created_by, created_at, expires_at, ...invitation }) => ({
      ...invitation,
      createdBy: created_by,
      createdAtMs: created_at.getTime(),
      expiresAtMs: expires_at.getTime(),
    })),
  };
}

/** `role` undefined: the person leaves the account. The API keys of the person's sessions in it end at once. */
export async function changeMembership(
  operation: Operation,
  accountId: string,
  personId: string,
  role: PersonRole | undefined,
): Promise<MembershipChange> {
  return inTransaction(operation.pool, async (client): Promise<MembershipChange> => {
    await lockPeople(client, accountId);
    await holdStanding(client, operation);
    const { rows } = await client.query<{ person_id: string; role: PersonRole; disabled: boolean }>(
      `select member.person_id, member.role, person.disabled_at is not null as disabled
       from svc.memberships member join svc.persons person on person.id = member.person_id
       where member.account_id = $1 order by member.person_id`,
      [accountId],
    );
    // An owner who is disabled can't act: the account needs another one.
    const members = rows
      .filter(({ disabled, person_id }) => !disabled || person_id === personId)
      .map((row): StoredMember => ({ personId: row.person_id, role: row.role }));
    const verdict = judgeMembershipChange(members, personId, role);
    if (verdict !== 'ok') return verdict;
    const before = members.find((one) => one.personId === personId)?.role;
    if (role === undefined)
      await client.query('delete from svc.memberships where account_id = $1 and person_id = $2', [accountId, personId]);
    else
      await client.query('update svc.memberships set role = $3 where account_id = $1 and person_id = $2', [
        accountId,
        personId,
        role,
      ]);
    await recordPersonChange(client, operation, {
      accountId,
      action: role === undefined ? 'person.removed' : 'person.role_changed',
      target: personId,
      detail: { before, ...(role !== undefined && { role }) },
    });
    return verdict;
  });
}

export type PersonRow = {
  readonly id: string;
  readonly name: string;
  readonly operatorView: boolean;
  readonly createdAtMs: number;
  readonly disabledAtMs: number | null;
  readonly passkeys: number;
  readonly memberships: readonly { readonly accountId: string; readonly role: PersonRole }[];
};

/** Oldest first; those of one account, or all. */
export async function listPersons(pool: pg.Pool, accountId?: string): Promise<readonly PersonRow[]> {
  const { rows } = await pool.query<
    Pick<PersonRow, 'id' | 'name' | 'passkeys'> & {
      operator_view: boolean;
      created_at: Date;
      disabled_at: Date | null;
      memberships: PersonRow['memberships'] | null;
    }
  >(
    `select id, name, operator_view, created_at, disabled_at,
       (select count(*)::integer from svc.passkeys where person_id = person.id and revoked_at is null) as passkeys,
       (
         select json_agg(json_build_object('accountId', account_id, 'role', role) order by account_id)
         from svc.memberships where person_id = person.id
       ) as memberships
     from svc.persons person
     where $1::text is null
       or exists (select from svc.memberships where person_id = person.id and account_id = $1)
     order by id`,
    [accountId ?? null],
  );
  return rows.map(({ operator_view, created_at, disabled_at, memberships, ...person }) => ({
    ...person,
    operatorView: operator_view,
    createdAtMs: created_at.getTime(),
    disabledAtMs: disabled_at?.getTime() ?? null,
    memberships: memberships ?? [],
  }));
}

/** For good. Sessions and their API keys end in the same transaction, each with an audit entry. False for an unknown person. */
export async function disablePerson(operation: Operation, id: string): Promise<boolean> {
  const { pool, nowMs } = operation;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ disabled: boolean }>(
      'select disabled_at is not null as disabled from svc.persons where id = $1 for update',
      [id],
    );
    const [person] = rows;
    if (person === undefined) return false;
    if (person.disabled) return true;
    // Before the person is disabled: a trigger then ends what is left, and writes no audit entry.
    await endSessionsIn(client, operation, { personId: id, which: { allBut: null }, reason: 'disabled' });
    await client.query('update svc.persons set disabled_at = $2 where id = $1', [id, new Date(nowMs)]);
    await recordPersonChange(client, operation, { action: 'person.disabled', target: id });
    return true;
  });
}

/** Lets a person see the operator's page, or no longer. False for an unknown person, or one who is disabled. */
export async function setOperatorView(operation: Operation, id: string, on: boolean): Promise<boolean> {
  return inTransaction(operation.pool, async (client) => {
    const { rows } = await client.query<{ operator_view: boolean }>(
      'select operator_view from svc.persons where id = $1 and disabled_at is null for update',
      [id],
    );
    const [person] = rows;
    if (person === undefined) return false;
    if (person.operator_view === on) return true;
    await client.query('update svc.persons set operator_view = $2 where id = $1', [id, on]);
    const action = on ? 'person.operator_view_given' : 'person.operator_view_taken';
    await recordPersonChange(client, operation, { action, target: id });
    return true;
  });
}
