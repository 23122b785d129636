// Whether a person may do something in an account.
import type { PersonRole } from './person-role.ts';

export type PersonRule = {
  readonly roles: readonly PersonRole[];
  /** Needs a passkey check of the last minutes. */
  readonly fresh: boolean;
};

export type PersonVerdict = 'allowed' | 'operators_only' | 'role_missing' | 'check_needed';

/** Without a rule it is for operators alone. The role is told before the check: a check would not help. */
export function judgePersonAction(rule: PersonRule | undefined, role: PersonRole, isFresh: boolean): PersonVerdict {
  if (rule === undefined) return 'operators_only';
  if (!rule.roles.includes(role)) return 'role_missing';
  return rule.fresh && !isFresh ? 'check_needed' : 'allowed';
}

/** As written to the audit record. */
export const personActor = (personId: string): string => `person:${personId}`;
