import { errorBody } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Reply } from './send-once.ts';

/** What an answer refuses, or undefined when nothing can be read from it. */
export function refusalIn({ body }: Reply): SvcPayError | undefined {
  const read = errorBody.safeParse(body);
  if (!read.success) return undefined;
  const { error, message, retryable, moneyMoved, requestId } = read.data;
  return new SvcPayError(error, { reason: message, retryable, moneyMoved, requestId });
}

/** A status that a proxy or a busy service gives, and that may be gone at the next try. */
export function mayPass(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
