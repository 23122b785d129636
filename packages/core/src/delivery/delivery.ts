// A delivery: one event on its way to one webhook endpoint.
import type { Mode } from '../account/mode.ts';

/** `refused`: the answer was not 2xx. `blocked`: the address is one that we never connect to. */
export type AttemptOutcome = 'succeeded' | 'refused' | 'timed_out' | 'unreachable' | 'blocked' | 'our_fault';

export type DeliveryKey = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly eventId: string;
  readonly endpointId: string;
};

/** A delivery that this process may attempt until the lease ends. */
export type LeasedDelivery = DeliveryKey & {
  /** Returned with the report: when another process has claimed the row since, the report is void. */
  readonly fence: string;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Earlier attempts that count against the endpoint's retries. */
  readonly chargedBefore: number;
  readonly sequence: number;
  /** It may use the slots that are kept for payment events. */
  readonly goesFirst: boolean;
  /** Body bytes, the same at every attempt. */
  readonly body: Uint8Array;
  readonly endpoint: ClaimedEndpoint;
};

export type ClaimedEndpoint = {
  readonly url: string;
  /** Retries after the first attempt. */
  readonly retryCount: number;
  readonly timeoutMs: number;
  readonly headersCiphertext: Uint8Array | null;
  readonly secretCiphertext: Uint8Array | null;
  /** The previous secret, which also signs until it expires. */
  readonly previousSecret: { readonly ciphertext: Uint8Array; readonly expiresAtMs: number } | null;
};

/** Record of one attempt, kept for the merchant to read. */
export type AttemptRecord = {
  readonly outcome: AttemptOutcome;
  readonly responseStatus: number | null;
  /** IP address of the connection. */
  readonly address: string | null;
  /** Null: not reached, or not needed on an open connection. */
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** Secrets are masked. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseExcerpt: Uint8Array | null;
  readonly error: string | null;
  readonly startedAtMs: number;
  readonly retryAfterMs: number | null;
};

/** Next step of the delivery after an attempt, if its endpoint is enabled by then. */
export type DeliveryVerdict =
  | { readonly next: 'succeeded' }
  | { readonly next: 'again'; readonly atMs: number; readonly charged: boolean }
  | { readonly next: 'failed'; readonly reason: string };

export type DeliveryReport = {
  readonly delivery: LeasedDelivery;
  readonly record: AttemptRecord;
  readonly verdict: DeliveryVerdict;
};
