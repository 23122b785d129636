// Which admin routes people may call with their console session, and in which role. A route that is not here is for operators
// alone. The account must be one of which the person is a member.
import { MODES, type PersonRule, SESSION_KEY_LEVELS } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';
import type { AdminRouteName } from './admin-routes.ts';

const EVERYBODY = ['owner', 'developer', 'support', 'viewer'] as const;
const DEVELOPERS = ['owner', 'developer'] as const;

export const PERSON_ACTIONS: Readonly<Partial<Record<AdminRouteName, PersonRule>>> = {
  getAccount: { roles: EVERYBODY, fresh: false },
  listPayouts: { roles: EVERYBODY, fresh: false },
  listKeys: { roles: DEVELOPERS, fresh: false },
  setMismatch: { roles: DEVELOPERS, fresh: false },
  setPublishable: { roles: DEVELOPERS, fresh: true },
  createKey: { roles: DEVELOPERS, fresh: true },
  rollKey: { roles: DEVELOPERS, fresh: true },
  signWithKey: { roles: DEVELOPERS, fresh: true },
  revokeKey: { roles: DEVELOPERS, fresh: true },
  disablePayout: { roles: ['owner'], fresh: true },
};

/** Where the console asks for the API key of a session, with the session as its bearer. */
export const SESSION_KEY_PATH = '/console/session-keys';

/** Where the console asks for what the operator's page shows, with the session of a person who may see it. */
export const OPERATOR_PATH = '/console/operator';

export const sessionKeyRequest = z.strictObject({
  accountId: z.string().check(z.refine((text) => isId('account', text))),
  mode: z.enum(MODES),
  level: z.enum(SESSION_KEY_LEVELS),
});
export type SessionKeyRequest = z.infer<typeof sessionKeyRequest>;
