// Whether an account may be closed. Payments under way are settled and announced whatever becomes of the account. A cap
// that a payer confirmed is charged by the merchant's server alone, and its key is refused from then on.
import { ACCOUNT_STATUS, type AccountStatus } from './account-transitions.ts';
import { type AwayCode, awayCode } from './authenticate.ts';

export type ClosingFacts = {
  readonly status: AccountStatus;
  /** Confirmed up-to payments that can still be charged. */
  readonly openCaps: number;
};

export function judgeClosing(
  { status, openCaps }: ClosingFacts,
  { now }: { readonly now: boolean },
): 'close' | 'closed_before' | 'account_has_open_caps' | AwayCode {
  if (status === ACCOUNT_STATUS.closed) return 'closed_before';
  if (status === ACCOUNT_STATUS.moving || status === ACCOUNT_STATUS.moved) return awayCode(status);
  return openCaps > 0 && !now ? 'account_has_open_caps' : 'close';
}
