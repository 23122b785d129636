import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import { isUnsent } from './wallet-problem.ts';

/**
 * What it means when a wallet that was asked to send money throws. Unless it says otherwise, it may send it all the same: its
 * question may still stand open when nobody waits for the answer any more.
 */
export function sendingProblem(problem: unknown): SvcPayError {
  if (!(problem instanceof SvcPayError))
    return new SvcPayError('wallet_failed', { moneyMoved: isUnsent(problem) ? 'no' : 'unknown', cause: problem });
  return problem.code === 'signature_refused' ? problem : withAttempt(problem, { moneyMoved: 'unknown' });
}
