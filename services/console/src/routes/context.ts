// What a handler has: the person and session that the app has judged, and the stores.
import type { Clock, JudgedSession, SessionToken } from '@svc-pay/core';
import type { ConsoleStores, FoundSession, Standing } from '@svc-pay/postgres/console-service';
import type { LogEvent } from '@svc-pay/runtime/logging/log-events';
import type { ConsoleMetrics } from '../console-metrics.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import type { WebAuthn } from '../passkey/web-authn.ts';

type Alive = Extract<JudgedSession, { alive: true }>;

export type SignedIn = {
  readonly session: FoundSession;
  readonly judged: Alive;
  readonly token: SessionToken;
  /** As in the audit record. */
  readonly actor: string;
};

export type ConsoleWorld = {
  readonly stores: ConsoleStores;
  readonly clock: Clock;
  readonly origin: string;
  readonly cookie: SessionCookie;
  readonly webAuthn: WebAuthn;
  readonly metrics: ConsoleMetrics;
};

/** Of one request. */
export type ConsoleVisit = {
  readonly nowMs: number;
  readonly ip: string;
  /** Under which the client is limited and listed. */
  readonly address: string;
  readonly userAgent: string;
  /** Of the account in the path. */
  readonly accountId: string;
  readonly log: (event: LogEvent, details?: object) => void;
  readonly setCookie: (text: string) => void;
  /** Undefined if nobody is signed in, on a route that needs nobody. */
  readonly signedIn: SignedIn | undefined;
};

/** For a handler of a route with `session: 'needed'`. */
export type PersonVisit = ConsoleVisit & {
  readonly signedIn: SignedIn;
  /** What a change needs to find still, in its transaction. */
  readonly standing: Standing;
};
