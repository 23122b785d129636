import type { ErrorBody, MoneyMoved } from '../wire/error-body.ts';
import { ERRORS, type ErrorCode } from './catalogue.ts';

export type RequestRefusal = {
  readonly code: ErrorCode;
  readonly requestId: string;
  /** The invalid field, as the client named it. */
  readonly param?: string;
  readonly moneyMoved?: MoneyMoved;
  /** Base URL of the error reference; the code is appended as the fragment. */
  readonly docsUrl: string;
};

export function errorBodyOf({ code, requestId, param, moneyMoved = 'no', docsUrl }: RequestRefusal): ErrorBody {
  const { message, retryable } = ERRORS[code];
  return { error: code, message, param: param ?? null, retryable, moneyMoved, requestId, docUrl: `${docsUrl}#${code}` };
}
