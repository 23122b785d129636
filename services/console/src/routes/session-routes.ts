// Signing in, fresh checks, and sessions.
import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import {
  FRESH_CHECK_MS,
  MODES,
  newSessionToken,
  rotateSessionToken,
  rotationIsDue,
  SESSION_LIFE_MS,
  sessionTokenHash,
} from '@svc-pay/core';
import type { PasskeyUse } from '@svc-pay/postgres/console-service';
import type { Id } from '@svc-pay/protocol/ids';
import { ConsoleRefusal } from '../http/console-errors.ts';
import type { InputOf } from './console-routes.ts';
import type { ConsoleVisit, ConsoleWorld, PersonVisit } from './context.ts';

/** Tries of one passkey, and of one session, in a minute: a guesser has no use for more. */
const TRIES = { size: 20, windowMs: 60_000 };
const SECOND_MS = 1_000;

export function createSessionRoutes(world: ConsoleWorld) {
  const { stores, clock, cookie, webAuthn, metrics } = world;

  /** Replaces the token if that is due. It counts from the moment the browser shows it. */
  const rotate = async ({ signedIn, setCookie, nowMs }: PersonVisit, checked: boolean) => {
    const { session, judged, token } = signedIn;
    if (!rotationIsDue(session, judged.shown, nowMs, { checked })) return;
    const next = rotateSessionToken(token, randomBytes);
    // A request that promoted the token has cleared what was issued before.
    const nextIssuedAtMs = judged.shown === 'next' ? null : session.nextIssuedAtMs;
    if (await stores.issueToken({ id: session.id, nextIssuedAtMs }, sessionTokenHash(next), nowMs))
      setCookie(cookie.set(next, (session.expiresAtMs - nowMs) / SECOND_MS));
  };

  /** Ends the session that the browser had: a person has one per browser. */
  const leaveFormer = async ({ signedIn, nowMs }: ConsoleVisit) => {
    if (signedIn === undefined) return;
    const { session, actor } = signedIn;
    const which = { sessionId: session.id };
    await stores.endSessions({ nowMs, actor }, { personId: session.personId, which, reason: 'signed_out' });
  };

  const begin = async (visit: ConsoleVisit, personId: Id<'person'>, use: PasskeyUse) => {
    const { nowMs, address, userAgent, setCookie } = visit;
    const token = newSessionToken(randomBytes);
    const begun = await stores.signIn({ nowMs, actor: `person:${personId}` }, use, {
      personId,
      tokenHash: sessionTokenHash(token),
      userAgent,
      address,
    });
    if (begun === undefined) throw new ConsoleRefusal('passkey_refused');
    await leaveFormer(visit);
    setCookie(cookie.set(token, SESSION_LIFE_MS / SECOND_MS));
    visit.log('console_signed_in', { personId, sessionId: begun });
    metrics.signedIn('done');
    return {};
  };

  const refusePasskey = ({ log }: ConsoleVisit, why: string, personId?: string): never => {
    metrics.signedIn('refused');
    log('passkey_refused', { why, ...(personId !== undefined && { personId }) });
    throw new ConsoleRefusal('passkey_refused');
  };

  return {
    begin,
    refusePasskey,
    getMe: async (visit: PersonVisit) => {
      const { session, judged } = visit.signedIn;
      await rotate(visit, false);
      return {
        person: { id: session.personId, name: session.personName, operatorView: session.operatorView },
        memberships: session.memberships.map(({ accountId, accountName, role }) => ({ accountId, accountName, role })),
        modes: MODES,
        session: { id: session.id, expiresAtMs: session.expiresAtMs, freshUntilMs: judged.freshUntilMs },
      };
    },
    askToSignIn: async () => ({ options: await webAuthn.askToSign({ kind: 'sign_in' }, []) }),
    signIn: async (visit: ConsoleVisit, { answer }: InputOf<'signIn'>) => {
      if (!(await stores.takeSignIn({ name: `passkey/${answer.id.slice(0, 64)}`, ...TRIES })))
        throw new ConsoleRefusal('rate_limited');
      const read = await webAuthn.readSignature({ kind: 'sign_in' }, answer as AuthenticationResponseJSON);
      if (!read.ok) return refusePasskey(visit, read.why);
      return begin(visit, read.proof.passkey.personId, read.proof.use);
    },
    askToCheck: async ({ signedIn: { session } }: PersonVisit) => {
      if (!(await stores.takeSignIn({ name: `check/${session.id}`, ...TRIES })))
        throw new ConsoleRefusal('rate_limited');
      const known = (await stores.listPasskeys(session.personId)).map(({ credentialId }) => credentialId);
      return { options: await webAuthn.askToSign({ kind: 'check', sessionId: session.id }, known) };
    },
    passCheck: async (visit: PersonVisit, { answer }: InputOf<'passCheck'>) => {
      const { session, actor } = visit.signedIn;
      const of = { kind: 'check', sessionId: session.id } as const;
      const read = await webAuthn.readSignature(of, answer as AuthenticationResponseJSON);
      if (!read.ok) return refusePasskey(visit, read.why, session.personId);
      if (read.proof.passkey.personId !== session.personId)
        return refusePasskey(visit, 'passkey of another person', session.personId);
      const nowMs = clock.nowMs();
      if (!(await stores.passCheck({ nowMs, actor }, read.proof.use, session)))
        return refusePasskey(visit, 'passkey or session is over', session.personId);
      await rotate(visit, true);
      return { freshUntilMs: nowMs + FRESH_CHECK_MS };
    },
    listSessions: async ({ nowMs, signedIn: { session } }: PersonVisit) => ({
      sessions: (await stores.listSessions(session.personId, nowMs)).map((each) => ({
        ...each,
        current: each.id === session.id,
      })),
    }),
    endSession: async ({ nowMs, signedIn }: PersonVisit, { sessionId }: InputOf<'endSession'>) => {
      const { session, actor } = signedIn;
      const ended = await stores.endSessions(
        { nowMs, actor },
        { personId: session.personId, which: { sessionId }, reason: 'ended' },
      );
      if (ended.length === 0) throw new ConsoleRefusal('not_found');
      return { ended: ended.length };
    },
    endOtherSessions: async ({ nowMs, signedIn }: PersonVisit) => {
      const { session, actor } = signedIn;
      const which = { allBut: session.id };
      const ended = await stores.endSessions({ nowMs, actor }, { personId: session.personId, which, reason: 'ended' });
      return { ended: ended.length };
    },
    signOut: async (visit: PersonVisit) => {
      await leaveFormer(visit);
      visit.setCookie(cookie.clear);
      return {};
    },
    signOutEverywhere: async ({ nowMs, signedIn, setCookie }: PersonVisit) => {
      const { session, actor } = signedIn;
      const which = { allBut: null };
      const ended = await stores.endSessions(
        { nowMs, actor },
        { personId: session.personId, which, reason: 'signed_out' },
      );
      setCookie(cookie.clear);
      return { ended: ended.length };
    },
  };
}
