// What a person may do in an account.
import type { KeyScope } from '../account/key-scope.ts';

/** `support` sees and refunds. `viewer` sees. */
export const PERSON_ROLES = ['owner', 'developer', 'support', 'viewer'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** `fresh`: within some minutes of a passkey check. */
export const SESSION_KEY_LEVELS = ['base', 'fresh'] as const;
export type SessionKeyLevel = (typeof SESSION_KEY_LEVELS)[number];

const BASE: Readonly<Record<PersonRole, readonly KeyScope[]>> = {
  owner: ['read', 'create', 'charge', 'webhooks'],
  developer: ['read', 'create', 'charge', 'webhooks'],
  support: ['read'],
  viewer: ['read'],
};
const REFUNDING: ReadonlySet<PersonRole> = new Set(['owner', 'developer', 'support']);

/** Scopes of the API keys of a session. No key of a session refunds without a fresh check. */
export function sessionKeyScopes(role: PersonRole, level: SessionKeyLevel): readonly KeyScope[] {
  return level === 'fresh' && REFUNDING.has(role) ? [...BASE[role], 'refund'] : BASE[role];
}
