import { SETTLEMENT_STATUS, type SettlementStatus } from './settlement-transitions.ts';

/** Whether a settlement loses its relayer and its batch with this status: any lane may take a queued one. */
export function leavesBatch(status: SettlementStatus): boolean {
  return status === SETTLEMENT_STATUS.queued;
}
