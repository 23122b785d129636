// What the console's own server answers about people, sessions and passkeys.
import { call } from './call.ts';

export const ROLES = ['owner', 'developer', 'support', 'viewer'] as const;
export type MemberRole = (typeof ROLES)[number];
export type ConsoleMode = 'test' | 'live';

export type SignedInPerson = {
  readonly person: { readonly id: string; readonly name: string; readonly operatorView: boolean };
  readonly memberships: readonly {
    readonly accountId: string;
    readonly accountName: string;
    readonly role: MemberRole;
  }[];
  readonly session: { readonly id: string; readonly expiresAtMs: number; readonly freshUntilMs: number };
};

export type OwnPasskey = {
  readonly credentialId: string;
  readonly name: string;
  readonly backedUp: boolean;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
};

export type OwnSession = {
  readonly id: string;
  readonly current: boolean;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
};

export type MemberOfAccount = {
  readonly personId: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly joinedAtMs: number;
  readonly lastSeenAtMs: number | null;
  readonly disabled: boolean;
};

export type InvitationOfAccount = {
  readonly id: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly expiresAtMs: number;
};

/** The link is answered once. */
export type MadeInvitation = { readonly invitationId: string; readonly link: string; readonly expiresAtMs: number };

/** What the link of an invitation is for. */
export type ShownInvitation =
  | { readonly kind: 'join'; readonly name: string; readonly accountName: string; readonly role: MemberRole }
  | { readonly kind: 'recover'; readonly name: string };

export const meQuery = {
  queryKey: ['me'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => call<SignedInPerson>('/me', { signal }),
  staleTime: 60_000,
} as const;
