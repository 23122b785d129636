import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';

/** Runs an attempt's work: whatever it throws becomes one typed error, and one end that was told. */
export async function runAttempt<Result>(attempt: Attempt, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (problem) {
    const { paymentIntentId, attemptId } = attempt.known();
    const error = withAttempt(
      problem instanceof SvcPayError
        ? problem
        : new SvcPayError('unexpected', { moneyMoved: 'unknown', cause: problem }),
      { paymentIntentId, attemptId },
    );
    attempt.failed(error);
    throw error;
  }
}
