// Invitations, passkeys and the people of an account.
import { createHash, randomBytes } from 'node:crypto';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { ConsoleRefusal } from '../http/console-errors.ts';
import type { InputOf } from './console-routes.ts';
import type { ConsoleVisit, ConsoleWorld, PersonVisit } from './context.ts';
import type { createSessionRoutes } from './session-routes.ts';

const TOKEN_BYTES = 32;

type Sessions = Pick<ReturnType<typeof createSessionRoutes>, 'begin' | 'refusePasskey'>;

export function createPeopleRoutes({ stores, origin, webAuthn }: ConsoleWorld, { begin, refusePasskey }: Sessions) {
  const operationOf = ({ nowMs, signedIn, standing }: PersonVisit) => ({ nowMs, actor: signedIn.actor, standing });

  /** One that is open: a link that is used, withdrawn, too old or made up is refused alike. */
  const openInvitation = async (token: string, nowMs: number) => {
    const found = await stores.findInvitation(hashOf(token), nowMs);
    if (found?.state !== 'open') throw new ConsoleRefusal('invitation_invalid');
    return found;
  };
  /** Behind `#`: a browser sends it to nobody, and no log has it. */
  const linkOf = (token: string) => `${origin}/invitation#${token}`;
  const newToken = () => {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { tokenHash: hashOf(token), link: linkOf(token) };
  };
  const isMember = async (accountId: string, personId: string, nowMs: number) =>
    (await stores.listPeople(accountId, nowMs)).members.some((member) => member.personId === personId);
  const changeMember = async (visit: PersonVisit, personId: string, role?: InputOf<'changeRole'>['role']) => {
    const verdict = await stores.changeMembership(operationOf(visit), visit.accountId, personId, role);
    if (verdict !== 'ok' && verdict !== 'unchanged') throw new ConsoleRefusal(verdict);
    return { changed: verdict === 'ok' };
  };

  return {
    showInvitation: async ({ nowMs }: ConsoleVisit, { token }: InputOf<'showInvitation'>) => {
      const invitation = await openInvitation(token, nowMs);
      const { kind, name } = invitation;
      return invitation.kind === 'join'
        ? { kind, name, accountName: invitation.accountName, role: invitation.role }
        : { kind, name };
    },
    askToAccept: async ({ nowMs }: ConsoleVisit, { token }: InputOf<'askToAccept'>) => {
      const { id, name } = await openInvitation(token, nowMs);
      const of = { kind: 'invitation', invitationId: id } as const;
      return { options: await webAuthn.askToRegister(of, { name, known: [] }) };
    },
    acceptInvitation: async (visit: ConsoleVisit, { token, answer, passkeyName }: InputOf<'acceptInvitation'>) => {
      const { nowMs } = visit;
      const { id } = await openInvitation(token, nowMs);
      const of = { kind: 'invitation', invitationId: id } as const;
      const read = await webAuthn.readRegistration(of, answer as RegistrationResponseJSON, passkeyName);
      if (!read.ok) return refusePasskey(visit, read.why);
      const accepted = await stores.acceptWithPasskey(nowMs, hashOf(token), read.proof);
      if (!accepted.ok) throw new ConsoleRefusal(accepted.code);
      visit.log('console_invitation_accepted', { personId: accepted.personId, invitationId: id });
      return begin(visit, accepted.personId, read.proof);
    },
    joinAccount: async (visit: PersonVisit, { token }: InputOf<'joinAccount'>) => {
      const { personId } = visit.signedIn.session;
      const accepted = await stores.acceptAsPerson(operationOf(visit), hashOf(token), personId);
      if (!accepted.ok) throw new ConsoleRefusal(accepted.code);
      return {};
    },
    listPasskeys: async ({ signedIn: { session } }: PersonVisit) => ({
      passkeys: await stores.listPasskeys(session.personId),
    }),
    askToAddPasskey: async ({ signedIn: { session } }: PersonVisit) => {
      const known = (await stores.listPasskeys(session.personId)).map(({ credentialId }) => credentialId);
      const of = { kind: 'passkey', sessionId: session.id } as const;
      return { options: await webAuthn.askToRegister(of, { name: session.personName, known }) };
    },
    addPasskey: async (visit: PersonVisit, { answer, passkeyName }: InputOf<'addPasskey'>) => {
      const { session } = visit.signedIn;
      const of = { kind: 'passkey', sessionId: session.id } as const;
      const read = await webAuthn.readRegistration(of, answer as RegistrationResponseJSON, passkeyName);
      if (!read.ok) return refusePasskey(visit, read.why, session.personId);
      const added = await stores.addPasskey(operationOf(visit), session.personId, read.proof);
      if (added !== 'added') throw new ConsoleRefusal(added);
      return {};
    },
    renamePasskey: async (visit: PersonVisit, { credentialId, name }: InputOf<'renamePasskey'>) => {
      const { personId } = visit.signedIn.session;
      if (!(await stores.renamePasskey(operationOf(visit), personId, bytesOf(credentialId), name)))
        throw new ConsoleRefusal('passkey_unknown');
      return {};
    },
    revokePasskey: async (visit: PersonVisit, { credentialId }: InputOf<'revokePasskey'>) => {
      const { personId, id: sessionId } = visit.signedIn.session;
      const revoked = await stores.revokePasskey(operationOf(visit), { personId, sessionId }, bytesOf(credentialId));
      if (revoked !== 'revoked') throw new ConsoleRefusal(revoked);
      return {};
    },
    listPeople: ({ accountId, nowMs }: PersonVisit) => stores.listPeople(accountId, nowMs),
    invitePerson: async (visit: PersonVisit, { name, role }: InputOf<'invitePerson'>) => {
      const { tokenHash, link } = newToken();
      const { accountId } = visit;
      const made = await stores.createInvitation(operationOf(visit), { tokenHash, accountId, role, name });
      if (!made.ok) throw new ConsoleRefusal(made.code);
      return { invitationId: made.id, link, expiresAtMs: made.expiresAtMs };
    },
    revokeInvitation: async (visit: PersonVisit, { invitationId }: InputOf<'revokeInvitation'>) => {
      if (!(await stores.revokeInvitation(operationOf(visit), visit.accountId, invitationId)))
        throw new ConsoleRefusal('not_found');
      return {};
    },
    changeRole: (visit: PersonVisit, { personId, role }: InputOf<'changeRole'>) => changeMember(visit, personId, role),
    removePerson: (visit: PersonVisit, { personId }: InputOf<'removePerson'>) => changeMember(visit, personId),
    recoverPerson: async (visit: PersonVisit, { personId }: InputOf<'recoverPerson'>) => {
      const { accountId, nowMs, signedIn } = visit;
      if (!(await isMember(accountId, personId, nowMs))) throw new ConsoleRefusal('person_unknown');
      const { tokenHash, link } = newToken();
      const owner = signedIn.session.personId;
      const made = await stores.createRecovery(operationOf(visit), { personId, tokenHash, owner });
      if (!made.ok) throw new ConsoleRefusal(made.code);
      return { invitationId: made.id, link, expiresAtMs: made.expiresAtMs };
    },
  };
}

const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest();
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'base64url');
