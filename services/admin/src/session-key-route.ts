// Makes the API key of a console session for one account, mode and level. The console derives the same text from the token, so
// the answer names the key and never shows it.
import { type Clock, FRESH_CHECK_MS, hintOf, isFresh, keyIndex, sessionKeyScopes, sessionKeyText } from '@svc-pay/core';
import type { AdminStores } from '@svc-pay/postgres/admin-service';
import type { SessionKeyRequest } from '@svc-pay/runtime/http/person-actions';
import { membershipIn, type PersonCaller } from './caller.ts';

type SessionKeyPorts = Pick<AdminStores, 'makeSessionKey'> & {
  readonly clock: Clock;
  /** The current one. */
  readonly pepper: Uint8Array;
};

type SessionKeyAnswer =
  | { readonly ok: true; readonly keyId: string; readonly expiresAtMs: number }
  | { readonly ok: false; readonly code: 'account_unknown' | 'check_needed' | 'session_over' };

export async function makeKeyOfSession(
  { makeSessionKey, clock, pepper }: SessionKeyPorts,
  caller: PersonCaller,
  { accountId, mode, level }: SessionKeyRequest,
): Promise<SessionKeyAnswer> {
  const { session, token, actor } = caller;
  const nowMs = clock.nowMs();
  const membership = membershipIn(caller, accountId);
  if (membership === undefined) return { ok: false, code: 'account_unknown' };
  if (level === 'fresh' && !isFresh(session, nowMs)) return { ok: false, code: 'check_needed' };
  const { role, rightsId } = membership;
  const text = sessionKeyText(token, session.keySalt, { accountId, mode, level, checkId: session.checkId, rightsId });
  const expiresAtMs =
    level === 'fresh' ? Math.min(session.verifiedAtMs + FRESH_CHECK_MS, session.expiresAtMs) : session.expiresAtMs;
  const made = await makeSessionKey(actor, nowMs, {
    sessionId: session.id,
    personId: session.personId,
    accountId,
    mode,
    level,
    checkId: level === 'fresh' ? session.checkId : null,
    rightsId,
    index: keyIndex(pepper, text),
    hint: hintOf(text),
    scopes: sessionKeyScopes(role, level),
    expiresAtMs,
  });
  return made.ok ? { ok: true, keyId: made.keyId, expiresAtMs } : { ok: false, code: 'session_over' };
}
