import type { MoneyMoved } from '@svc-pay/protocol';
import { type SdkErrorCode, sentenceFor } from './sentences.ts';

/** Codes of this package are listed; any code of the service's error reference may come too. */
export type SvcPayErrorCode = SdkErrorCode | (string & {});

export type SvcPayErrorInfo = {
  readonly moneyMoved?: MoneyMoved;
  readonly paymentIntentId?: string | null;
  readonly attemptId?: string | null;
  /** What lies behind the code: the service's own code or sentence, or the field that was not as asked. */
  readonly reason?: string | null;
  /** Names the request in the service's logs. */
  readonly requestId?: string | null;
  readonly retryable?: boolean;
  readonly cause?: unknown;
};

const BY_THE_PAYER: ReadonlySet<string> = new Set<SdkErrorCode>([
  'connection_refused',
  'network_switch_refused',
  'signature_refused',
  'wallet_closed',
]);

/** The one kind of error this package throws. `message` is a sentence that a payer can be shown. */
export class SvcPayError extends Error {
  override readonly name = 'SvcPayError';
  readonly code: SvcPayErrorCode;
  /**
   * Whether this attempt took money. `unknown`: a signed payment went out and its result was not heard; do not pay again,
   * ask `waitForPayment`.
   */
  readonly moneyMoved: MoneyMoved;
  /** Null when the attempt ended before the service had made an intent. */
  readonly paymentIntentId: string | null;
  readonly attemptId: string | null;
  readonly reason: string | null;
  readonly requestId: string | null;
  /** True when the same call may succeed later. */
  readonly retryable: boolean;

  constructor(code: SvcPayErrorCode, info: SvcPayErrorInfo = {}) {
    const moneyMoved = info.moneyMoved ?? 'no';
    super(sentenceFor(code, moneyMoved), info.cause === undefined ? undefined : { cause: info.cause });
    this.code = code;
    this.moneyMoved = moneyMoved;
    this.paymentIntentId = info.paymentIntentId ?? null;
    this.attemptId = info.attemptId ?? null;
    this.reason = info.reason ?? null;
    this.requestId = info.requestId ?? null;
    this.retryable = info.retryable ?? false;
  }

  /** True when the payer refused to connect, to switch networks or to sign, or closed the wallet. */
  isUserCancelled(): boolean {
    return BY_THE_PAYER.has(this.code);
  }
}

/** The same error with what only the whole attempt knows. */
export function withAttempt(error: SvcPayError, known: SvcPayErrorInfo): SvcPayError {
  const { code, moneyMoved, paymentIntentId, attemptId, reason, requestId, retryable, cause } = error;
  return new SvcPayError(code, {
    moneyMoved,
    reason,
    requestId,
    retryable,
    cause: cause ?? error,
    ...known,
    paymentIntentId: paymentIntentId ?? known.paymentIntentId ?? null,
    attemptId: attemptId ?? known.attemptId ?? null,
  });
}
