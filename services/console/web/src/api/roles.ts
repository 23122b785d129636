// What the page offers to whom. The server decides; this only hides what it would refuse.
import type { MemberRole } from './people.ts';

const MAY = {
  refund: ['owner', 'developer', 'support'],
  /** Charge and release up-to payments, accept mismatches, cancel, make payment links. */
  charge: ['owner', 'developer'],
  /** Endpoints, deliveries and events. */
  webhooks: ['owner', 'developer'],
  keys: ['owner', 'developer'],
  /** What is done with another amount than asked. */
  policy: ['owner', 'developer'],
  people: ['owner'],
  /** End them. */
  payouts: ['owner'],
} as const satisfies Readonly<Record<string, readonly MemberRole[]>>;

export type ConsoleAction = keyof typeof MAY;

export const may = (role: MemberRole, action: ConsoleAction): boolean =>
  (MAY[action] as readonly MemberRole[]).includes(role);

export const ROLE_WORDS: Readonly<Record<MemberRole, { readonly word: string; readonly about: string }>> = {
  owner: { word: 'Owner', about: 'Everything, people included.' },
  developer: { word: 'Developer', about: 'Payments, keys and webhooks; no people.' },
  support: { word: 'Support', about: 'Sees payments and refunds them; no keys.' },
  viewer: { word: 'Viewer', about: 'Sees payments; changes nothing.' },
};
