// Statements of the console.
import type pg from 'pg';
import type { Operation } from './audit/operation.ts';
import { putChallenge, removeOldSignIns, takeChallenge, takeSignIn } from './console/challenges.ts';
import { findSession } from './console/find-session.ts';
import {
  acceptAsPerson,
  acceptWithPasskey,
  createInvitation,
  createRecovery,
  findInvitation,
  revokeInvitation,
} from './console/invitations.ts';
import {
  addPasskey,
  findPasskey,
  listPasskeys,
  passCheck,
  renamePasskey,
  revokePasskey,
  signIn,
} from './console/passkeys.ts';
import { changeMembership, listPeople } from './console/people.ts';
import { endSessions, issueToken, listSessions, noteSessionSeen, promoteToken } from './console/sessions.ts';
import type { Database } from './database/open-database.ts';
import { foldOverview } from './overview/fold-overview.ts';

export { type Standing, StandingLost } from './audit/standing.ts';
export type { ChallengeOf } from './console/challenges.ts';
export type { FoundSession } from './console/find-session.ts';
export type { KnownPasskey, NewPasskey, PasskeyUse } from './console/passkeys.ts';
export type { FoldedStep } from './overview/fold-overview.ts';

/** Who does it, and when. */
type ConsoleOperation = Omit<Operation, 'pool'>;

export function createConsoleStores({ pool }: Pick<Database, 'pool'>) {
  const onPool =
    <Given extends unknown[], Result>(work: (pool: pg.Pool, ...given: Given) => Result) =>
    (...given: Given) =>
      work(pool, ...given);
  const asOperation =
    <Given extends unknown[], Result>(work: (operation: Operation, ...given: Given) => Result) =>
    (operation: ConsoleOperation, ...given: Given) =>
      work({ ...operation, pool }, ...given);
  return {
    putChallenge: onPool(putChallenge),
    takeChallenge: onPool(takeChallenge),
    takeSignIn: onPool(takeSignIn),
    removeOldSignIns: onPool(removeOldSignIns),
    findSession: onPool(findSession),
    findInvitation: (tokenHash: Uint8Array, nowMs: number) => findInvitation(pool, tokenHash, nowMs),
    acceptAsPerson: asOperation(acceptAsPerson),
    acceptWithPasskey: (nowMs: number, tokenHash: Uint8Array, passkey: Parameters<typeof acceptWithPasskey>[2]) =>
      acceptWithPasskey({ pool, nowMs }, tokenHash, passkey),
    createInvitation: asOperation(createInvitation),
    createRecovery: asOperation(createRecovery),
    revokeInvitation: asOperation(revokeInvitation),
    addPasskey: asOperation(addPasskey),
    findPasskey: onPool(findPasskey),
    listPasskeys: onPool(listPasskeys),
    passCheck: asOperation(passCheck),
    renamePasskey: asOperation(renamePasskey),
    revokePasskey: asOperation(revokePasskey),
    signIn: asOperation(signIn),
    changeMembership: asOperation(changeMembership),
    listPeople: onPool(listPeople),
    endSessions: asOperation(endSessions),
    issueToken: onPool(issueToken),
    listSessions: onPool(listSessions),
    noteSessionSeen: onPool(noteSessionSeen),
    promoteToken: onPool(promoteToken),
    foldOverview: () => foldOverview(pool),
  };
}

export type ConsoleStores = ReturnType<typeof createConsoleStores>;
