// Who may change whom in an account, and how long an invitation is good for.
import type { PersonRole } from './person-role.ts';

export const INVITATION_LIFE_MS = 72 * 3_600_000;
/** Members and open invitations of an account together. */
export const MAX_PEOPLE_OF_ACCOUNT = 200;
export const MAX_PASSKEYS_OF_PERSON = 20;

export type StoredMember = { readonly personId: string; readonly role: PersonRole };

export type MembershipChange = 'ok' | 'unchanged' | 'member_unknown' | 'last_owner';

/** `role`: the one that the person gets; undefined: the person leaves. An account that had an owner keeps one. */
export function judgeMembershipChange(
  members: readonly StoredMember[],
  personId: string,
  role: PersonRole | undefined,
): MembershipChange {
  const member = members.find((one) => one.personId === personId);
  if (member === undefined) return 'member_unknown';
  if (member.role === role) return 'unchanged';
  const otherOwner = members.some((one) => one.role === 'owner' && one.personId !== personId);
  return member.role === 'owner' && !otherOwner ? 'last_owner' : 'ok';
}

export type RolesOfPerson = ReadonlyMap<string, PersonRole>;

/**
 * Whether an owner may give a person new passkeys. Whoever holds the recovery link acts as that person, in every account:
 * the owner must own them all already. Another person is recovered by the operator's command.
 */
export function mayRecover(
  owner: RolesOfPerson,
  person: RolesOfPerson,
  { operatorView }: { operatorView: boolean },
): boolean {
  return !operatorView && person.size > 0 && [...person.keys()].every((accountId) => owner.get(accountId) === 'owner');
}

export type InvitationTimes = {
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
  readonly revokedAtMs: number | null;
};
export type InvitationState = 'open' | 'used' | 'revoked' | 'expired';

export function invitationStateAt(
  { expiresAtMs, usedAtMs, revokedAtMs }: InvitationTimes,
  nowMs: number,
): InvitationState {
  if (usedAtMs !== null) return 'used';
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs <= nowMs ? 'expired' : 'open';
}
