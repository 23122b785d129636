// When a console session is alive, when its token is replaced, and how long a passkey check counts.
import type { Id } from '@svc-pay/protocol/ids';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const SESSION_LIFE_MS = 12 * HOUR_MS;
export const SESSION_IDLE_MS = 2 * HOUR_MS;
/** How long a passkey check lets a person change keys, payouts and people, and refund. */
export const FRESH_CHECK_MS = 5 * MINUTE_MS;
/** Requests with the token before may be under way when a new one is first shown. */
export const FORMER_TOKEN_GRACE_MS = 30_000;
const ROTATE_AFTER_MS = HOUR_MS;
/** A new token may be lost with its answer. Until it can be taken for lost, no other one is issued. */
const ISSUED_TOKEN_LIFE_MS = MINUTE_MS;
/** `last_seen_at` is exact to this. */
const SEEN_EVERY_MS = MINUTE_MS;

export type ConsoleSession = {
  readonly id: Id<'consoleSession'>;
  readonly personId: Id<'person'>;
  readonly personName: string;
  readonly personDisabled: boolean;
  readonly operatorView: boolean;
  readonly tokenHash: Uint8Array;
  readonly rotatedAtMs: number;
  /** Issued and not shown yet. */
  readonly nextTokenHash: Uint8Array | null;
  readonly nextIssuedAtMs: number | null;
  readonly previousTokenHash: Uint8Array | null;
  readonly previousUntilMs: number | null;
  readonly keySalt: Uint8Array;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  readonly verifiedAtMs: number;
  readonly checkId: Id<'passkeyCheck'>;
  readonly endedAtMs: number | null;
};

export type JudgedSession =
  /** `shown`: `next` makes the new token the session's, from now on. */
  | {
      readonly alive: true;
      readonly shown: 'current' | 'next' | 'previous';
      readonly freshUntilMs: number;
      readonly seenIsDue: boolean;
    }
  /** `secret_reused`: a replaced token came back, so that two hold a token of this session, and one of them stole it. */
  | { readonly alive: false; readonly why: 'ended' | 'expired' | 'idle' | 'secret_reused' };

/** `shownHash`: of the token with which the session was found. */
export function judgeSession(session: ConsoleSession, shownHash: Uint8Array, nowMs: number): JudgedSession {
  if (session.endedAtMs !== null || session.personDisabled) return { alive: false, why: 'ended' };
  if (session.expiresAtMs <= nowMs) return { alive: false, why: 'expired' };
  const shown = shownToken(session, shownHash);
  if (shown === undefined) return { alive: false, why: 'ended' };
  if (shown === 'previous' && (session.previousUntilMs ?? 0) <= nowMs) return { alive: false, why: 'secret_reused' };
  if (session.lastSeenAtMs + SESSION_IDLE_MS <= nowMs) return { alive: false, why: 'idle' };
  return {
    alive: true,
    shown,
    freshUntilMs: session.verifiedAtMs + FRESH_CHECK_MS,
    seenIsDue: session.lastSeenAtMs + SEEN_EVERY_MS <= nowMs,
  };
}

export const isFresh = ({ verifiedAtMs }: Pick<ConsoleSession, 'verifiedAtMs'>, nowMs: number): boolean =>
  nowMs < verifiedAtMs + FRESH_CHECK_MS;

/** Whether another token is issued now. `checked`: the person has just passed a passkey check. */
export function rotationIsDue(
  session: Pick<ConsoleSession, 'rotatedAtMs' | 'nextIssuedAtMs'>,
  shown: 'current' | 'next' | 'previous',
  nowMs: number,
  { checked }: { readonly checked: boolean },
): boolean {
  if (shown === 'previous') return false;
  if (checked) return true;
  if (shown === 'next') return false;
  const { rotatedAtMs, nextIssuedAtMs } = session;
  if (nextIssuedAtMs !== null && nowMs < nextIssuedAtMs + ISSUED_TOKEN_LIFE_MS) return false;
  return rotatedAtMs + ROTATE_AFTER_MS <= nowMs;
}

function shownToken(session: ConsoleSession, shownHash: Uint8Array): 'current' | 'next' | 'previous' | undefined {
  const is = (hash: Uint8Array | null) => hash !== null && Buffer.compare(hash, shownHash) === 0;
  if (is(session.tokenHash)) return 'current';
  if (is(session.nextTokenHash)) return 'next';
  return is(session.previousTokenHash) ? 'previous' : undefined;
}
