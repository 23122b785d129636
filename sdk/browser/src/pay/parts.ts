import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Announcer } from '../events/announce.ts';
import type { Attempt } from '../events/attempt.ts';
import type { Service } from '../http/service.ts';
import type { Ports } from '../ports.ts';
import type { PayerWallet } from '../wallet.ts';
import type { SentPayments } from './sent-payments.ts';

/** What a client is made of. */
export type ClientDeps = {
  readonly ports: Ports;
  /** Asks with the client secret of the call or, without one, with the publishable key. */
  readonly service: Service;
  readonly hasCredential: boolean;
  readonly wallet: PayerWallet | undefined;
  readonly announcer: Announcer;
  readonly walletTimeoutMs: number;
  readonly paymentTimeoutMs: number;
  readonly regularTimeoutMs: number;
  /** A further attempt of the same call, by the regular flow. */
  readonly beginRegular: () => Attempt;
  /** What was sent for an intent and may still pay it. */
  readonly sent: SentPayments;
  /** Who may be paid, where a request does not say it; undefined for anybody. */
  readonly payTo: readonly string[] | undefined;
};

export type CallOptions = {
  /** Ends the call at whatever it is waiting for. Money that is already on its way is not called back. */
  readonly signal?: AbortSignal;
  /** How long to wait for the result, from the moment the signed payment, or the payer's own transaction, is sent. */
  readonly timeoutMs?: number;
};

export type PaymentCallOptions = CallOptions & {
  /**
   * Unix time in milliseconds: until when an earlier signed payment for the same thing, of another intent, could be taken, though
   * it was refused. The regular flow does not follow before; the call ends with `outcome_unknown`, reason `earlier_payment`.
   */
  readonly earlierUntilMs?: number;
};

export const signalOf = ({ signal }: CallOptions): AbortSignal => signal ?? new AbortController().signal;

/** Throws `invalid_request` for a call without a client secret, of a client without a key. */
export function requireCredential({ hasCredential }: ClientDeps): void {
  if (!hasCredential) throw new SvcPayError('invalid_request', { reason: 'publishableKey' });
}
