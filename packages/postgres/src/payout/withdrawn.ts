import { PAYOUT_STATUS } from '@svc-pay/core';
import { sqlIs } from '../database/status-sql.ts';

/**
 * Condition under which no payment uses the payout, not even one that was offered before. A processor still settles to a
 * payout that it retires later; a direct payout, and one that is in no registry
 * on its chain, ends when an operator disables it.
 */
export const PAYOUT_WITHDRAWN = (payout: string): string =>
  `(${payout}.status ${sqlIs(PAYOUT_STATUS.pending)}
    or (${payout}.kind = 'direct' or ${payout}.network not like 'eip155:%') and ${payout}.status ${sqlIs(PAYOUT_STATUS.disabled)})`;
