// Calls the API with the key of the session for one account, mode and level. Nothing stores the key: it is derived from the token.
// The admin service makes its row when the API does not know it yet.
import { type Mode, SESSION_BEARER_PREFIX, type SessionKeyLevel, sessionKeyText } from '@svc-pay/core';
import { ConsoleRefusal } from '../http/console-errors.ts';
import type { SignedIn } from '../routes/context.ts';

export type KeyFor = {
  /** Of which the person is a member. */
  readonly accountId: string;
  readonly mode: Mode;
  readonly level: SessionKeyLevel;
};
/** Throws what the person is answered if no answer comes. */
export type AskService = (url: string, init: RequestInit) => Promise<Response>;
export type KeyedCall = (key: string) => Promise<Response>;

export const sessionBearer = ({ token }: SignedIn): string => `Bearer ${SESSION_BEARER_PREFIX}${token}`;

export function createSessionKeys(adminUrl: string, ask: AskService) {
  const makeRow = async (signedIn: SignedIn, wanted: KeyFor): Promise<boolean> => {
    const answer = await ask(`${adminUrl}/console/session-keys`, {
      method: 'POST',
      headers: { authorization: sessionBearer(signedIn), 'content-type': 'application/json' },
      body: JSON.stringify(wanted),
      redirect: 'error',
    });
    const { error } = answer.ok ? {} : ((await answer.json().catch(() => ({}))) as { readonly error?: unknown });
    if (answer.ok) await answer.body?.cancel();
    // The check ended meanwhile, or by the clock of the admin service: the page asks for another one.
    if (error === 'check_needed') throw new ConsoleRefusal('check_needed');
    if (answer.status === 401) throw new ConsoleRefusal('session_over');
    return answer.ok;
  };
  return {
    /** Repeats `call` once, after the row of the key was made. A call that the API refused for its key has changed nothing. */
    callWithKey: async (signedIn: SignedIn, wanted: KeyFor, call: KeyedCall): Promise<Response> => {
      const { session, token } = signedIn;
      const membership = session.memberships.find((one) => one.accountId === wanted.accountId);
      if (membership === undefined) throw new ConsoleRefusal('account_unknown');
      const { rightsId } = membership;
      const key = sessionKeyText(token, session.keySalt, { ...wanted, checkId: session.checkId, rightsId });
      const answer = await call(key);
      if (answer.status !== 401) return answer;
      await answer.body?.cancel();
      if (!(await makeRow(signedIn, wanted))) throw new ConsoleRefusal('upstream_unavailable');
      const again = await call(key);
      // The role changed between the two: with the next request the key is of the new one.
      if (again.status !== 401) return again;
      await again.body?.cancel();
      throw new ConsoleRefusal('upstream_unavailable');
    },
  };
}
