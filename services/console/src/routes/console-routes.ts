// Routes of the console for people. Everything else is relayed to the API and the admin service. A route names who may call it:
// the app judges that before its handler runs, and a test calls each route as each role.
import { isPrintableName, PERSON_ROLES, type PersonRole } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';

const MAX_NAME = 100;
const name = z.string().check(
  z.maxLength(MAX_NAME),
  z.refine((text) => isPrintableName(text)),
);
const base64url = (maxLength: number) => z.string().check(z.regex(/^[\w-]+$/), z.maxLength(maxLength));
const token = z.string().check(z.regex(/^[\w-]{43}$/));
const credentialId = base64url(1_364);
const personId = z.string().check(z.refine((text) => isId('person', text)));
const sessionId = z.string().check(z.refine((text) => isId('consoleSession', text)));
const invitationId = z.string().check(z.refine((text) => isId('invitation', text)));
const role = z.enum(PERSON_ROLES);

const MAX_FIELD = 8_192;
const field = base64url(MAX_FIELD);
const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
  authenticatorAttachment: z.optional(z.nullable(z.string().check(z.maxLength(32)))),
};
const transports = z.optional(z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/))).check(z.maxLength(8)));
const registered = z.object({
  ...common,
  response: z.object({ clientDataJSON: field, attestationObject: field, transports }),
});
const signed = z.object({
  ...common,
  response: z.object({
    clientDataJSON: field,
    authenticatorData: field,
    signature: field,
    userHandle: z.optional(z.nullable(field)),
  }),
});
const nothing = z.strictObject({});

export type ConsoleRoute = {
  readonly method: 'GET' | 'POST';
  /** Below /console/api. `{accountId}` names the account whose role counts. */
  readonly path: string;
  readonly about: string;
  /** `none`: for somebody who is not signed in, and limited by address. */
  readonly session: 'none' | 'needed';
  /** Needs a passkey check of the last minutes. */
  readonly fresh: boolean;
  /** Of the account in the path. */
  readonly roles?: readonly PersonRole[];
  readonly input: z.ZodMiniType;
};

const open = { method: 'POST', session: 'none', fresh: false } as const;
const read = { method: 'GET', session: 'needed', fresh: false, input: nothing } as const;
const change = { method: 'POST', session: 'needed', fresh: false } as const;
const freshChange = { ...change, fresh: true } as const;
const ofOwner = { ...freshChange, roles: ['owner'] } as const;

export const CONSOLE_ROUTES = {
  getMe: { ...read, path: '/me', about: 'Who is signed in, in which accounts, and until when.' },
  askToSignIn: { ...open, path: '/sign-in/options', about: 'Ask for a challenge to sign in with.', input: nothing },
  signIn: {
    ...open,
    path: '/sign-in/verify',
    about: 'Sign in with a passkey: a new session begins.',
    input: z.strictObject({ answer: signed }),
  },
  showInvitation: {
    ...open,
    path: '/invitations/show',
    about: 'What the link of an invitation is for.',
    input: z.strictObject({ token }),
  },
  askToAccept: {
    ...open,
    path: '/invitations/accept/options',
    about: 'Ask for a challenge to register a passkey with.',
    input: z.strictObject({ token }),
  },
  acceptInvitation: {
    ...open,
    path: '/invitations/accept/verify',
    about: 'Accept an invitation with a new passkey: a session begins.',
    input: z.strictObject({ token, answer: registered, passkeyName: name }),
  },
  joinAccount: {
    ...freshChange,
    path: '/invitations/accept',
    about: 'Accept an invitation as the person who is signed in.',
    input: z.strictObject({ token }),
  },
  askToCheck: { ...change, path: '/check/options', about: 'Ask for a challenge of a fresh check.', input: nothing },
  passCheck: {
    ...change,
    path: '/check/verify',
    about: 'Pass a fresh check.',
    input: z.strictObject({ answer: signed }),
  },
  listPasskeys: { ...read, path: '/passkeys', about: 'Own passkeys.' },
  askToAddPasskey: {
    ...freshChange,
    path: '/passkeys/options',
    about: 'Ask for a challenge to register another passkey with.',
    input: nothing,
  },
  addPasskey: {
    // The challenge was given to this session within a fresh check, and is good for minutes.
    ...change,
    path: '/passkeys/verify',
    about: 'Add a passkey.',
    input: z.strictObject({ answer: registered, passkeyName: name }),
  },
  renamePasskey: {
    ...change,
    path: '/passkeys/rename',
    about: 'Give a passkey another name.',
    input: z.strictObject({ credentialId, name }),
  },
  revokePasskey: {
    ...freshChange,
    path: '/passkeys/revoke',
    about: 'Remove a passkey for good, and end every other session.',
    input: z.strictObject({ credentialId }),
  },
  listSessions: { ...read, path: '/sessions', about: 'Own sessions.' },
  endSession: {
    ...change,
    path: '/sessions/end',
    about: 'End one of the own sessions.',
    input: z.strictObject({ sessionId }),
  },
  endOtherSessions: {
    ...change,
    path: '/sessions/end-others',
    about: 'End every own session but this one.',
    input: nothing,
  },
  signOut: { ...change, path: '/sign-out', about: 'End this session.', input: nothing },
  signOutEverywhere: {
    ...change,
    path: '/sign-out-everywhere',
    about: 'End every own session, this one too.',
    input: nothing,
  },
  listPeople: {
    ...read,
    path: '/accounts/{accountId}/people',
    about: 'People and open invitations of an account.',
    roles: ['owner'],
  },
  invitePerson: {
    ...ofOwner,
    path: '/accounts/{accountId}/people/invite',
    about: 'Make an invitation. Its link is answered once.',
    input: z.strictObject({ name, role }),
  },
  revokeInvitation: {
    ...ofOwner,
    path: '/accounts/{accountId}/people/revoke-invitation',
    about: 'Withdraw an invitation that is open.',
    input: z.strictObject({ invitationId }),
  },
  changeRole: {
    ...ofOwner,
    path: '/accounts/{accountId}/people/role',
    about: 'Give a member another role.',
    input: z.strictObject({ personId, role }),
  },
  removePerson: {
    ...ofOwner,
    path: '/accounts/{accountId}/people/remove',
    about: 'Remove a member. The last owner stays.',
    input: z.strictObject({ personId }),
  },
  recoverPerson: {
    ...ofOwner,
    path: '/accounts/{accountId}/people/recover',
    about: 'Make a link by which a member who lost every device registers a new passkey. Its link is answered once.',
    input: z.strictObject({ personId }),
  },
} as const satisfies Readonly<Record<string, ConsoleRoute>>;

export type ConsoleRouteName = keyof typeof CONSOLE_ROUTES;
export type InputOf<Name extends ConsoleRouteName> = z.infer<(typeof CONSOLE_ROUTES)[Name]['input']>;
