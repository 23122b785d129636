// What went wrong with a call, in one shape: the service's own flat error, a payment that ended as failed, or no answer.
import type { ErrorBody, MoneyMoved } from '@svc-pay/protocol';
import { ERRORS, isErrorCode } from '@svc-pay/protocol/errors';

export type UptoError = {
  readonly ok: false;
  /** A code of the service's error reference, or `no_answer`, or `answer_unreadable`. */
  readonly code: string;
  /** A sentence for a person. */
  readonly message: string;
  /** The field at fault. */
  readonly param: string | null;
  /** True when the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** Whether this call, over all its attempts, charged the payer. `unknown`: call again with the same amount to learn it. */
  readonly moneyMoved: MoneyMoved;
  /** Names the request in the service's logs. */
  readonly requestId: string | null;
  readonly httpStatus: number | null;
};

export function errorFromBody(body: ErrorBody, httpStatus: number): UptoError {
  const { error: code, message, param, retryable, moneyMoved, requestId } = body;
  return { ok: false, code, message, param, retryable, moneyMoved, requestId, httpStatus };
}

/** A settlement that ended as failed, told with HTTP 200. */
export function errorFromFailure(error: string | undefined, message: string | undefined): UptoError {
  const code = error ?? 'settlement_failed';
  const entry = isErrorCode(code) ? ERRORS[code] : undefined;
  return {
    ok: false,
    code,
    message: message ?? entry?.message ?? 'The settlement failed and charged nothing.',
    param: null,
    retryable: entry?.retryable ?? false,
    moneyMoved: 'no',
    requestId: null,
    httpStatus: 200,
  };
}

export function noAnswer(): UptoError {
  return unknownOutcome('no_answer', 'The service did not answer in time.', null);
}

export function unreadableAnswer(httpStatus: number): UptoError {
  return unknownOutcome(
    'answer_unreadable',
    'What answered is not this service, or another version of it.',
    httpStatus,
  );
}

function unknownOutcome(code: string, message: string, httpStatus: number | null): UptoError {
  const retryable = httpStatus === null || httpStatus >= 500;
  return { ok: false, code, message, param: null, retryable, moneyMoved: 'unknown', requestId: null, httpStatus };
}

/** Refused before anything was sent. */
export function badCall(code: string, message: string, param: string): UptoError {
  return { ok: false, code, message, param, retryable: false, moneyMoved: 'no', requestId: null, httpStatus: null };
}
