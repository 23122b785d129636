// The visitor of the sandbox in the console: an owner of the sandbox's account who has no passkey. Run as the owner of the
// database: no service may do this.
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { recordPersonChange } from './record-person-change.ts';
import { insertSession, type NewSession } from './sessions.ts';

/** Returns the oldest owner of the account, who is made if there is none. */
export async function seedSandboxPerson(operation: Operation, accountId: string, name: string): Promise<Id<'person'>> {
  return inTransaction(operation.pool, async (client) => {
    const { rows } = await client.query<{ id: Id<'person'> }>(
      `select person.id from svc.memberships member join svc.persons person on person.id = member.person_id
       where member.account_id = $1 and member.role = 'owner' and person.disabled_at is null
       order by member.created_at, person.id limit 1`,
      [accountId],
    );
    return rows[0]?.id ?? insertOwner(client, operation, accountId, name);
  });
}

async function insertOwner(
  client: pg.ClientBase,
  operation: Operation,
  accountId: string,
  name: string,
): Promise<Id<'person'>> {
  const id = newId('person', operation.nowMs);
  const now = new Date(operation.nowMs);
  await client.query('insert into svc.persons (id, name, operator_view, created_at) values ($1, $2, true, $3)', [
    id,
    name,
    now,
  ]);
  await client.query(
    `insert into svc.memberships (account_id, person_id, role, created_at) values ($1, $2, 'owner', $3)`,
    [accountId, id, now],
  );
  await recordPersonChange(client, operation, { accountId, action: 'person.joined', target: id, detail: { name } });
  return id;
}

/** Without a passkey: whoever may open the database as its owner is let in. */
export async function beginSandboxSession(operation: Operation, session: NewSession): Promise<Id<'consoleSession'>> {
  return inTransaction(operation.pool, async (client) => {
    const id = await insertSession(client, operation.nowMs, session);
    await recordPersonChange(client, operation, { action: 'session.begun', target: id, detail: { sandbox: true } });
    return id;
  });
}

/** As if the person had just passed a passkey check in each of their sessions. */
export async function renewSandboxChecks(pool: pg.Pool, personId: string, nowMs: number): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from svc.console_sessions where person_id = $1 and ended_at is null and expires_at > $2',
    [personId, new Date(nowMs)],
  );
  for (const { id } of rows)
    await pool.query(
      'update svc.console_sessions set verified_at = $2, check_id = $3 where id = $1 and ended_at is null',
      [id, new Date(nowMs), newId('passkeyCheck', nowMs)],
    );
}
