// Invitations: made by an owner or by command, used once.
import {
  ACCOUNT_STATUS,
  INVITATION_LIFE_MS,
  type InvitationState,
  invitationStateAt,
  MAX_PEOPLE_OF_ACCOUNT,
  mayRecover,
  type PersonRole,
  type RolesOfPerson,
} from '@svc-pay/core';
import { type Id, isId, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { holdStanding, inOperation } from '../audit/standing.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs } from '../database/status-sql.ts';
import { insertPasskey, type NewPasskey } from './passkeys.ts';
import { recordPersonChange } from './record-person-change.ts';
import { endSessionsIn } from './sessions.ts';

type InvitedTo =
  | { readonly kind: 'join'; readonly accountId: string; readonly accountName: string; readonly role: PersonRole }
  | { readonly kind: 'recover'; readonly personId: Id<'person'> };

export type FoundInvitation = InvitedTo & {
  readonly id: string;
  readonly name: string;
  readonly createdBy: string;
  readonly state: InvitationState;
};

type Row = {
  readonly id: string;
  readonly kind: 'join' | 'recover';
  readonly account_id: string | null;
  readonly account_name: string | null;
  readonly role: PersonRole | null;
  readonly person_id: Id<'person'> | null;
  readonly name: string;
  readonly created_by: string;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly revoked_at: Date | null;
  /** Who made it is an owner of the account still, or an operator. */
  readonly maker_may: boolean;
};

/** Of an invitation to join: an operator made it, or somebody who is an owner of the account still. */
export const MAKER_MAY = `
  invitation.created_by not like 'person:%' or invitation.kind = 'recover' or exists (
    select from svc.memberships maker join svc.persons person on person.id = maker.person_id
    where maker.account_id = invitation.account_id and 'person:' || maker.person_id = invitation.created_by
      and maker.role = 'owner' and person.disabled_at is null
  )`;
const FIND = `
  select invitation.id, kind, invitation.account_id, account.name as account_name, role, person_id, invitation.name,
    created_by, expires_at, used_at, revoked_at, ${MAKER_MAY} as maker_may
  from svc.invitations invitation
  left join svc.accounts account on account.id = invitation.account_id and account.status ${sqlIs(ACCOUNT_STATUS.active)}
  where token_hash = $1`;

/** Undefined as well if the account is closed. An invitation to join ends with the rights of the owner who made it. */
export async function findInvitation(
  client: pg.Pool | pg.ClientBase,
  tokenHash: Uint8Array,
  nowMs: number,
  lock = '',
): Promise<FoundInvitation | undefined> {
  const { rows } = await client.query<Row>(`${FIND} ${lock}`, [tokenHash]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id, name, created_by: createdBy, account_id, account_name, role, person_id } = row;
  const state = invitationStateAt(
    {
      expiresAtMs: row.expires_at.getTime(),
      usedAtMs: row.used_at?.getTime() ?? null,
      revokedAtMs: row.revoked_at?.getTime() ?? null,
    },
    nowMs,
  );
  const found = { id, name, createdBy, state: state === 'open' && !row.maker_may ? ('revoked' as const) : state };
  if (row.kind === 'recover')
    return person_id === null ? undefined : { ...found, kind: 'recover', personId: person_id };
  if (account_id === null || account_name === null || role === null) return undefined;
  return { ...found, kind: 'join', accountId: account_id, accountName: account_name, role };
}

export type NewInvitation = {
  readonly tokenHash: Uint8Array;
  readonly accountId: string;
  readonly role: PersonRole;
  readonly name: string;
};
export type CreatedInvitation =
  | { readonly ok: true; readonly id: string; readonly expiresAtMs: number }
  | { readonly ok: false; readonly code: 'account_unknown' | 'too_many_people' };

export async function createInvitation(operation: Operation, wanted: NewInvitation): Promise<CreatedInvitation> {
  const { pool, nowMs, actor } = operation;
  return inTransaction(pool, async (client): Promise<CreatedInvitation> => {
    const { rowCount } = await client.query(
      `select from svc.accounts where id = $1 and status ${sqlIs(ACCOUNT_STATUS.active)}`,
      [wanted.accountId],
    );
    if (rowCount !== 1) return { ok: false, code: 'account_unknown' };
    await lockPeople(client, wanted.accountId);
    await holdStanding(client, operation);
    if ((await countPeople(client, wanted.accountId, nowMs)) >= MAX_PEOPLE_OF_ACCOUNT)
      return { ok: false, code: 'too_many_people' };
    const id = newId('invitation', nowMs);
    const expiresAtMs = nowMs + INVITATION_LIFE_MS;
    await client.query(
      `insert into svc.invitations (id, kind, token_hash, account_id, role, name, created_by, created_at, expires_at)
       values ($1, 'join', $2, $3, $4, $5, $6, $7, $8)`,
      [id, wanted.tokenHash, wanted.accountId, wanted.role, wanted.name, actor, new Date(nowMs), new Date(expiresAtMs)],
    );
    const { accountId, role, name } = wanted;
    await recordPersonChange(client, operation, {
      accountId,
      action: 'invitation.created',
      target: id,
      detail: { role, name },
    });
    return { ok: true, id, expiresAtMs };
  });
}

export type CreatedRecovery =
  | { readonly ok: true; readonly id: string; readonly expiresAtMs: number; readonly name: string }
  | { readonly ok: false; readonly code: 'person_unknown' | 'recovery_not_allowed' };

/**
 * `owner`: the person who asks. Without it an operator does, by command. A link that was made before for the same person is
 * withdrawn: of a link that fell into wrong hands, another one is the end.
 */
export async function createRecovery(
  operation: Operation,
  wanted: { readonly personId: string; readonly tokenHash: Uint8Array; readonly owner?: string | undefined },
): Promise<CreatedRecovery> {
  const { nowMs, actor } = operation;
  return inOperation(operation, async (client): Promise<CreatedRecovery> => {
    const person = await loadPerson(client, wanted.personId);
    if (person === undefined) return { ok: false, code: 'person_unknown' };
    if (wanted.owner !== undefined && !(await ownerMayRecover(client, wanted.owner, wanted.personId)))
      return { ok: false, code: 'recovery_not_allowed' };
    await withdrawRecoveries(client, wanted.personId, nowMs);
    const id = newId('invitation', nowMs);
    const expiresAtMs = nowMs + INVITATION_LIFE_MS;
    await client.query(
      `insert into svc.invitations (id, kind, token_hash, person_id, name, created_by, created_at, expires_at)
       values ($1, 'recover', $2, $3, $4, $5, $6, $7)`,
      [id, wanted.tokenHash, wanted.personId, person.name, actor, new Date(nowMs), new Date(expiresAtMs)],
    );
    await recordPersonChange(client, operation, {
      action: 'recovery.created',
      target: wanted.personId,
      detail: { invitation: id },
    });
    return { ok: true, id, expiresAtMs, name: person.name };
  });
}

export async function revokeInvitation(operation: Operation, accountId: string, id: string): Promise<boolean> {
  const { nowMs } = operation;
  return inOperation(operation, async (client) => {
    const { rowCount } = await client.query(
      `update svc.invitations set revoked_at = $3
       where account_id = $1 and id = $2 and used_at is null and revoked_at is null`,
      [accountId, id, new Date(nowMs)],
    );
    if (rowCount !== 1) return false;
    await recordPersonChange(client, operation, { accountId, action: 'invitation.revoked', target: id });
    return true;
  });
}

export type Accepted =
  | { readonly ok: true; readonly personId: Id<'person'> }
  | {
      readonly ok: false;
      readonly code:
        | 'invitation_invalid'
        | 'passkey_known'
        | 'member_already'
        | 'too_many_people'
        | 'recovery_not_allowed';
    };

/** Whoever opens the link registers a passkey: as a new person, or as the one who recovers. */
export async function acceptWithPasskey(
  { pool, nowMs }: Pick<Operation, 'pool' | 'nowMs'>,
  tokenHash: Uint8Array,
  passkey: NewPasskey,
): Promise<Accepted> {
  const accept = async (client: pg.ClientBase): Promise<Accepted> => {
    const invitation = await lockInvitation(client, tokenHash, nowMs);
    if (invitation?.state !== 'open') return { ok: false, code: 'invitation_invalid' };
    if (invitation.kind === 'recover') return recover(client, nowMs, invitation, passkey);
    if (!(await hasRoom(client, invitation.accountId, nowMs))) return { ok: false, code: 'too_many_people' };
    const personId = newId('person', nowMs);
    await client.query('insert into svc.persons (id, name, created_at) values ($1, $2, $3)', [
      personId,
      invitation.name,
      new Date(nowMs),
    ]);
    await registerPasskey(client, nowMs, personId, passkey);
    await join(client, nowMs, invitation, personId);
    return { ok: true, personId };
  };
  try {
    return await inTransaction(pool, accept);
  } catch (problem) {
    if (problem instanceof PasskeyKnown) return { ok: false, code: 'passkey_known' };
    throw problem;
  }
}

/** Undoes the acceptance: its person would have no passkey. */
class PasskeyKnown extends Error {}

async function registerPasskey(...passkey: Parameters<typeof insertPasskey>): Promise<void> {
  if (!(await insertPasskey(...passkey))) throw new PasskeyKnown();
}

/** Somebody who is signed in joins another account. */
export async function acceptAsPerson(
  operation: Operation,
  tokenHash: Uint8Array,
  personId: Id<'person'>,
): Promise<Accepted> {
  const { nowMs } = operation;
  return inOperation(operation, async (client): Promise<Accepted> => {
    const invitation = await lockInvitation(client, tokenHash, nowMs);
    if (invitation?.state !== 'open' || invitation.kind !== 'join') return { ok: false, code: 'invitation_invalid' };
    const roles = await rolesOf(client, personId);
    if (roles.has(invitation.accountId)) return { ok: false, code: 'member_already' };
    if (!(await hasRoom(client, invitation.accountId, nowMs))) return { ok: false, code: 'too_many_people' };
    await join(client, nowMs, invitation, personId);
    return { ok: true, personId };
  });
}

/** Read again once the people of its account are locked: its maker may have been removed a moment ago. */
async function lockInvitation(
  client: pg.ClientBase,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<FoundInvitation | undefined> {
  const invitation = await findInvitation(client, tokenHash, nowMs, 'for update of invitation');
  if (invitation?.kind !== 'join') return invitation;
  await lockPeople(client, invitation.accountId);
  return findInvitation(client, tokenHash, nowMs);
}

async function join(
  client: pg.ClientBase,
  nowMs: number,
  invitation: Extract<FoundInvitation, { kind: 'join' }>,
  personId: Id<'person'>,
): Promise<void> {
  const { accountId, role } = invitation;
  await client.query('insert into svc.memberships (account_id, person_id, role, created_at) values ($1, $2, $3, $4)', [
    accountId,
    personId,
    role,
    new Date(nowMs),
  ]);
  await markUsed(client, nowMs, invitation.id, personId);
  await recordPersonChange(
    client,
    { nowMs, actor: `person:${personId}` },
    {
      accountId,
      action: 'person.joined',
      target: personId,
      detail: { role, invitation: invitation.id },
    },
  );
}

/** Every passkey and session of before ends, and every other recovery that is open. */
async function recover(
  client: pg.ClientBase,
  nowMs: number,
  invitation: Extract<FoundInvitation, { kind: 'recover' }>,
  passkey: NewPasskey,
): Promise<Accepted> {
  const { personId, createdBy } = invitation;
  // Whoever signs in or adds a passkey at the same moment holds the person: that is done, and ends here, or finds nothing usable.
  const person = await loadPerson(client, personId, 'for no key update');
  if (person === undefined) return { ok: false, code: 'invitation_invalid' };
  const owner = createdBy.startsWith('person:') ? createdBy.slice('person:'.length) : undefined;
  if (owner !== undefined && !(await ownerMayRecover(client, owner, personId)))
    return { ok: false, code: 'recovery_not_allowed' };
  const now = new Date(nowMs);
  await client.query('update svc.passkeys set revoked_at = $2 where person_id = $1 and revoked_at is null', [
    personId,
    now,
  ]);
  const operation = { nowMs, actor: `person:${personId}` };
  await endSessionsIn(client, operation, { personId, which: { allBut: null }, reason: 'recovered' });
  await registerPasskey(client, nowMs, personId, passkey);
  await markUsed(client, nowMs, invitation.id, personId);
  await withdrawRecoveries(client, personId, nowMs);
  await recordPersonChange(client, operation, {
    action: 'person.recovered',
    target: personId,
    detail: { invitation: invitation.id, createdBy },
  });
  return { ok: true, personId };
}

async function withdrawRecoveries(client: pg.ClientBase, personId: string, nowMs: number): Promise<void> {
  await client.query(
    'update svc.invitations set revoked_at = $2 where person_id = $1 and used_at is null and revoked_at is null',
    [personId, new Date(nowMs)],
  );
}

async function markUsed(client: pg.ClientBase, nowMs: number, id: string, personId: string): Promise<void> {
  await client.query('update svc.invitations set used_at = $2, used_by = $3 where id = $1', [
    id,
    new Date(nowMs),
    personId,
  ]);
}

/** The person is locked against being disabled meanwhile. Undefined for one who is. */
async function loadPerson(
  client: pg.ClientBase,
  id: string,
  lock: 'for share' | 'for no key update' = 'for share',
): Promise<{ readonly name: string } | undefined> {
  if (!isId('person', id)) return undefined;
  const { rows } = await client.query<{ name: string }>(
    `select name from svc.persons where id = $1 and disabled_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

async function ownerMayRecover(client: pg.ClientBase, owner: string, personId: string): Promise<boolean> {
  const { rows } = await client.query<{ id: string; operator_view: boolean; disabled: boolean }>(
    'select id, operator_view, disabled_at is not null as disabled from svc.persons where id = any ($1)',
    [[owner, personId]],
  );
  const by = rows.find(({ id }) => id === owner);
  const person = rows.find(({ id }) => id === personId);
  if (by === undefined || by.disabled || person === undefined) return false;
  const [ofOwner, ofPerson] = [await rolesOf(client, owner), await rolesOf(client, personId)];
  return mayRecover(ofOwner, ofPerson, { operatorView: person.operator_view });
}

async function rolesOf(client: pg.ClientBase, personId: string): Promise<RolesOfPerson> {
  const { rows } = await client.query<{ account_id: string; role: PersonRole }>(
    'select account_id, role from svc.memberships where person_id = $1 order by account_id for share',
    [personId],
  );
  return new Map(rows.map(({ account_id, role }) => [account_id, role]));
}

async function hasRoom(client: pg.ClientBase, accountId: string, nowMs: number): Promise<boolean> {
  // The invitation that is accepted counts already.
  return (await countPeople(client, accountId, nowMs)) <= MAX_PEOPLE_OF_ACCOUNT;
}

/** Serializes changes of the people of an account. */
export async function lockPeople(client: pg.ClientBase, accountId: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc.people/${accountId}`]);
}

async function countPeople(client: pg.ClientBase, accountId: string, nowMs: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select (select count(*) from svc.memberships where account_id = $1)::integer + (
       select count(*) from svc.invitations
       where account_id = $1 and used_at is null and revoked_at is null and expires_at > $2
     )::integer as count`,
    [accountId, new Date(nowMs)],
  );
  return rows[0]?.count ?? 0;
}
