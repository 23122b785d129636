import { PAYOUT_STATUS } from '@svc-pay/core';
import { sqlIs } from '../database/status-sql.ts';

/**
 * Condition under which no payment uses the payout, not even one that was offered before. A processor still settles to a
 * payout that it retires later; a direct payout ends when an operator disables it.
 */
export const PAYOUT_WITHDRAWN = (payout: string): string =>
  `(${payout}.status ${sqlIs(PAYOUT_STATUS.pending)}
    or ${payout}.kind = 'direct' and ${payout}.status ${sqlIs(PAYOUT_STATUS.disabled)})`;
