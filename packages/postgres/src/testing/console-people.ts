// People of the console's stores, which have the rights of svc_console and no more.
import { randomBytes } from 'node:crypto';
import type { PersonRole } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import pg from 'pg';
import { afterAll } from 'vitest';
import type { Operation } from '../audit/operation.ts';
import type { Standing } from '../audit/standing.ts';
import { createInvitation } from '../console/invitations.ts';
import { createConsoleStores } from '../console-service.ts';
import { createTestDatabase } from './create-test-database.ts';
import { createLogin } from './log-in-as.ts';
import { insertRow } from './sample-rows.ts';

export const times = <Result>(count: number, work: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => work(index));
export const newHash = (): Uint8Array => randomBytes(32);
export const newPasskey = () => ({
  credentialId: randomBytes(16),
  publicKey: randomBytes(77),
  signCount: 0,
  transports: ['internal'],
  aaguid: '00000000-0000-0000-0000-000000000000',
  name: 'Laptop',
  backedUp: false,
});

export type ConsolePerson = Awaited<ReturnType<Awaited<ReturnType<typeof createConsolePeople>>['newPerson']>>;

export async function createConsolePeople() {
  const { pool: owner, url } = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: await createLogin(owner, url, 'svc_console'), max: 10 });
  pool.on('error', () => {});
  afterAll(() => pool.end());
  const stores = createConsoleStores({ pool });
  const now = Date.now();
  const shell = { pool: owner, nowMs: now, actor: 'operator:shell' };

  const newAccount = async () => {
    const id = newId('account', now);
    await insertRow(owner, 'accounts', { id });
    return id;
  };
  /** By an operator's command, unless a person is named. */
  const invite = async (accountId: string, role: PersonRole = 'viewer', by?: Omit<Operation, 'pool'>) => {
    const tokenHash = newHash();
    const operation = by === undefined ? shell : { ...by, pool };
    const made = await createInvitation(operation, { tokenHash, accountId, role, name: 'Grace' });
    if (!made.ok) throw new Error(made.code);
    return { tokenHash, id: made.id };
  };
  const newSession = async (personId: Id<'person'>, credentialId: Uint8Array) => {
    const tokenHash = newHash();
    const use = { credentialId, signCount: 0, backedUp: false };
    const session = { personId, tokenHash, userAgent: '', address: '' };
    const id = await stores.signIn({ nowMs: now, actor: `person:${personId}` }, use, session);
    if (id === undefined) throw new Error('not signed in');
    return { id, tokenHash };
  };
  /** Somebody who has joined and signed in, and on whose standing operations are done. */
  const newPerson = async (accountId: string, role: PersonRole) => {
    const passkey = newPasskey();
    const { tokenHash } = await invite(accountId, role);
    const accepted = await stores.acceptWithPasskey(now, tokenHash, passkey);
    if (!accepted.ok) throw new Error(accepted.code);
    const { personId } = accepted;
    const session = await newSession(personId, passkey.credentialId);
    const standing: Standing = { personId, sessionId: session.id, account: { id: accountId, roles: ['owner'] } };
    return {
      personId,
      session,
      passkey,
      operation: { nowMs: now, actor: `person:${personId}`, standing },
      own: { nowMs: now, actor: `person:${personId}`, standing: { personId, sessionId: session.id } },
    };
  };
  return { owner, stores, now, shell, newAccount, invite, newSession, newPerson };
}
