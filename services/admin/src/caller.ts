// Who calls the admin service: an operator by key, or a person by console session.
import {
  authenticateOperator,
  type Clock,
  isFresh,
  judgePersonAction,
  judgeSession,
  type KeyIndexes,
  type Peppers,
  type PersonRole,
  type PersonRule,
  personActor,
  readSessionBearer,
  SESSION_BEARER_PREFIX,
  type SessionToken,
  sessionTokenHash,
} from '@svc-pay/core';
import type { AdminStores, FoundSession, Standing } from '@svc-pay/postgres/admin-service';
import type { FastifyRequest } from 'fastify';

export type CallerPorts = Pick<AdminStores, 'findOperator' | 'findSession'> & {
  readonly clock: Clock;
  readonly peppers: Peppers;
};

export type PersonCaller = {
  readonly kind: 'person';
  readonly actor: string;
  readonly session: FoundSession;
  readonly token: SessionToken;
};
export type AdminCaller = { readonly kind: 'operator'; readonly actor: string } | PersonCaller;
type KnownCaller =
  | { readonly ok: true; readonly caller: AdminCaller }
  | { readonly ok: false; readonly code: 'key_missing' | 'key_invalid' };

export async function findCaller(ports: CallerPorts, request: FastifyRequest): Promise<KnownCaller> {
  const nowMs = ports.clock.nowMs();
  const presented = presentedKey(request);
  if (presented?.startsWith(SESSION_BEARER_PREFIX) === true) return findPerson(ports, presented, nowMs);
  const { peppers, findOperator } = ports;
  const operators = { peppers, findOperator: (indexes: KeyIndexes) => findOperator(indexes, nowMs) };
  const known = await authenticateOperator(operators, presented);
  return known.ok ? { ok: true, caller: { kind: 'operator', actor: known.actor } } : known;
}

/** The console ends a session whose former token came back. Here such a token opens nothing. */
async function findPerson(
  { findSession }: Pick<AdminStores, 'findSession'>,
  bearer: string,
  nowMs: number,
): Promise<KnownCaller> {
  const token = readSessionBearer(bearer);
  if (token === undefined) return { ok: false, code: 'key_invalid' };
  const hash = sessionTokenHash(token);
  const session = await findSession(hash);
  if (session === undefined || !judgeSession(session, hash, nowMs).alive) return { ok: false, code: 'key_invalid' };
  return { ok: true, caller: { kind: 'person', actor: personActor(session.personId), session, token } };
}

/** Undefined for an account of which the person is no member: whether it exists is told to its members alone. */
export const membershipIn = ({ session }: PersonCaller, accountId: string) =>
  session.memberships.find((one) => one.accountId === accountId);

export const roleIn = (caller: PersonCaller, accountId: string): PersonRole | undefined =>
  membershipIn(caller, accountId)?.role;

/** What the person's action needs to find still, in its transaction. */
export const standingOf = ({ session }: PersonCaller, accountId: string, roles: readonly PersonRole[]): Standing => ({
  personId: session.personId,
  sessionId: session.id,
  account: { id: accountId, roles },
});

export const judgeCall = (caller: PersonCaller, rule: PersonRule | undefined, role: PersonRole, nowMs: number) =>
  judgePersonAction(rule, role, isFresh(caller.session, nowMs));

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const { authorization } = headers;
  return authorization === undefined ? undefined : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? 'no bearer');
}
