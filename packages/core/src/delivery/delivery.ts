// One event on its way to one endpoint.
import type { Mode } from '../account/mode.ts';

/** Nothing but failures for this long switches an endpoint off. */
export const ENDPOINT_OFF_AFTER_MS = 5 * 86_400_000;

/** `refused`: answered, but not with 2xx. `blocked`: the address is one that we do not dial. */
export type AttemptOutcome = 'succeeded' | 'refused' | 'timed_out' | 'unreachable' | 'blocked' | 'our_fault';

export type DeliveryKey = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly eventId: string;
  readonly endpointId: string;
};

/** A delivery that is ours to try until its lease ends. */
export type ClaimedDelivery = DeliveryKey & {
  /** Goes back with the report: when somebody else has claimed the row since, the report is void. */
  readonly fence: string;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Earlier attempts that count against the endpoint's retries. */
  readonly chargedBefore: number;
  readonly sequence: number;
  /** Sent as they are, at every try. */
  readonly body: Uint8Array;
  readonly endpoint: ClaimedEndpoint;
};

export type ClaimedEndpoint = {
  readonly url: string;
  /** Retries after the first try. */
  readonly retryCount: number;
  readonly timeoutMs: number;
  readonly headersCiphertext: Uint8Array | null;
  readonly secretCiphertext: Uint8Array | null;
  /** The secret before it, which signs beside it until its time is up. */
  readonly previousSecret: { readonly ciphertext: Uint8Array; readonly expiresAtMs: number } | null;
  /** Since when nothing has succeeded; null while all is well. */
  readonly failingSinceMs: number | null;
};

/** How one attempt went, as it is kept for the merchant to read. */
export type AttemptRecord = {
  readonly outcome: AttemptOutcome;
  readonly responseStatus: number | null;
  /** The one that was dialled. */
  readonly address: string | null;
  /** Null: not reached, or not needed on a connection that was open. */
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** Without secrets. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseExcerpt: Uint8Array | null;
  readonly error: string | null;
  readonly startedAtMs: number;
  readonly retryAfterMs: number | null;
};

/** What becomes of the delivery. */
export type DeliveryVerdict =
  | { readonly next: 'succeeded' }
  | { readonly next: 'again'; readonly atMs: number; readonly charged: boolean }
  | { readonly next: 'failed'; readonly reason: string }
  /** The endpoint is switched off for this reason; the delivery waits until it is on again. */
  | { readonly next: 'parked'; readonly reason: EndpointOffReason };

export type EndpointOffReason = 'gone' | 'failing';

export type DeliveryReport = {
  readonly delivery: ClaimedDelivery;
  readonly record: AttemptRecord;
  readonly verdict: DeliveryVerdict;
};
