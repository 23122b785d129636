// A failure as an exception, for where a value can't be handed back: in a loop over pages, and for who prefers to throw.
import type { CallFailure } from './call-failure.ts';

export class SvcPayError extends Error {
  override readonly name = 'SvcPayError';
  /** Everything that is known of it: code, status, request id, whether to repeat. */
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(`${failure.code}: ${failure.message}`);
    this.failure = failure;
  }
}

/** The result of a call that went well; throws a `SvcPayError` for one that did not. */
export function orThrow<Result extends { readonly ok: true }>(result: Result | CallFailure): Result {
  if (!result.ok) throw new SvcPayError(result);
  return result;
}
