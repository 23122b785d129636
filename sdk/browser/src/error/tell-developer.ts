// In test mode the console says what a payer is not told: the code, the service's reason, and where the code is explained.
import { isSdkErrorCode, resultOf } from './sentences.ts';
import { SvcPayError } from './svc-pay-error.ts';

/** Undefined for an end that the payer or the page chose. */
export function developerLine(problem: unknown, baseUrl: string): string | undefined {
  if (!(problem instanceof SvcPayError)) return undefined;
  const { code, reason, requestId } = problem;
  if (code === 'aborted' || problem.isUserCancelled()) return undefined;
  const why = reason ?? resultOf(code)?.message ?? problem.message;
  const request = requestId === null ? '' : ` (${requestId})`;
  const docs = `${baseUrl.replace(/\/+$/, '')}/reference${isSdkErrorCode(code) ? '' : `/errors#${code}`}`;
  return `SVC Pay, test mode: ${code}: ${why}${request} ${docs}`;
}
