import type { ErrorBody, MoneyMoved } from '../wire/error-body.ts';
import { ERRORS, type ErrorCode } from './catalogue.ts';

export type RequestRefusal = {
  readonly code: ErrorCode;
  readonly requestId: string;
  /** The catalogue's sentence unless told: one that names this very mistake and its way out. */
  readonly message?: string;
  /** The invalid field, as the client named it. */
  readonly param?: string;
  readonly moneyMoved?: MoneyMoved;
  /** Base URL of the error reference; the code is appended as the fragment. */
  readonly docsUrl: string;
};

export function errorBodyOf(refusal: RequestRefusal): ErrorBody {
  const { code, requestId, param, moneyMoved = 'no', docsUrl } = refusal;
  const { message, retryable } = ERRORS[code];
  return {
    error: code,
    message: refusal.message ?? message,
    param: param ?? null,
    retryable,
    moneyMoved,
    requestId,
    docUrl: `${docsUrl}#${code}`,
  };
}
