// What went wrong with a call, in one shape: the service's own flat error, a payment that ended as failed, no answer, or a
// call that was never sent.
import type { ErrorBody, MoneyMoved } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode, isErrorCode } from '@svc-pay/protocol/errors';

/** Codes that are made here, beside those of the service. */
const OWN_MESSAGES = {
  no_answer: 'The service did not answer in time.',
  answer_unreadable: 'What answered is not this service, or another version of it.',
  aborted: 'The call was given up by its signal.',
  settlement_failed: 'The settlement failed and charged nothing.',
  refund_terms_differ:
    'What the service asks the wallet to sign is not the refund that was asked for; nothing was signed.',
  refund_failed: 'The refund failed and moved no money.',
  signer_failed: 'The wallet did not sign.',
  recovery_failed: 'The recovery ended before it had looked at all events.',
} as const;
type OwnCode = keyof typeof OWN_MESSAGES;

/** A code of the service's error reference, one of those made by this library, or one of a later release. */
export type FailureCode = ErrorCode | OwnCode | (string & {});

export type CallFailure = {
  readonly ok: false;
  readonly code: FailureCode;
  /** A sentence for a person. */
  readonly message: string;
  /** The field at fault. */
  readonly param: string | null;
  /** True when the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** The least that the service asks to wait before that. */
  readonly retryAfterMs: number | null;
  /** Whether this call, over all its attempts, charged the payer. `unknown`: call again with the same amount to learn it. */
  readonly moneyMoved: MoneyMoved;
  /** Names the request in the service's logs. */
  readonly requestId: string | null;
  readonly httpStatus: number | null;
  /** What the call was made under. The same call with this key does nothing twice, whatever became of this one. */
  readonly idempotencyKey: string | null;
};

type Told = Pick<CallFailure, 'code' | 'message'> & Partial<CallFailure>;

function failure(told: Told): CallFailure {
  return {
    ok: false,
    param: null,
    retryable: false,
    retryAfterMs: null,
    moneyMoved: 'no',
    requestId: null,
    httpStatus: null,
    idempotencyKey: null,
    ...told,
  };
}

export function failureFromBody(body: ErrorBody, httpStatus: number): CallFailure {
  const { error: code, message, param, retryable, moneyMoved, requestId } = body;
  return failure({ code, message, param, retryable, moneyMoved, requestId, httpStatus });
}

/** A payment step that ended as failed, told with HTTP 200. */
export function failureFromOutcome(
  { error, message }: { readonly error?: string | undefined; readonly message?: string | undefined },
  requestId: string | null,
): CallFailure {
  const code = error ?? 'settlement_failed';
  const entry = isErrorCode(code) ? ERRORS[code] : undefined;
  return failure({
    code,
    message: message ?? entry?.message ?? OWN_MESSAGES.settlement_failed,
    retryable: entry?.retryable ?? false,
    requestId,
    httpStatus: 200,
  });
}

export function recoveryFailed(reason: string | null): CallFailure {
  return failure({ code: 'recovery_failed', message: reason ?? OWN_MESSAGES.recovery_failed });
}

/** The wallet signs nothing else than what was asked for; `field` is what differs. */
export function termsDiffer(field: string): CallFailure {
  return failure({ ...own('refund_terms_differ'), param: field });
}

export function signerFailed(problem: unknown): CallFailure {
  const { code, message } = own('signer_failed');
  const reason = problem instanceof Error ? ` ${problem.message}` : '';
  return failure({ code, message: `${message}${reason}` });
}

/** A refund that ended without money moved. */
export function refundFailed(code: string | null, message: string | null): CallFailure {
  return failure({ code: code ?? 'refund_failed', message: message ?? OWN_MESSAGES.refund_failed });
}

/** Whether the request arrived, and what it did there, is not known. */
export function noAnswer(): CallFailure {
  return failure({ ...own('no_answer'), retryable: true, moneyMoved: 'unknown' });
}

export function unreadableAnswer(httpStatus: number, requestId: string | null): CallFailure {
  const retryable = httpStatus >= 500;
  return failure({ ...own('answer_unreadable'), retryable, moneyMoved: 'unknown', httpStatus, requestId });
}

/** Before anything was sent, or between two attempts. */
export function aborted(): CallFailure {
  return failure({ ...own('aborted'), retryable: true });
}

/** Refused before anything was sent. */
export function badCall(code: ErrorCode, param: string | null, message: string = ERRORS[code].message): CallFailure {
  return failure({ code, message, param });
}

const own = (code: OwnCode) => ({ code, message: OWN_MESSAGES[code] });
