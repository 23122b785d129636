import type { Mode, Payout, PayoutStatus } from '@svc-pay/core';
import type { Split } from '@svc-pay/money';

export type PayoutDbRow = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly network: string;
  readonly processor: string;
  readonly payout_id: string;
  readonly merchant: string;
  readonly fee_bps: number;
  readonly splits: readonly Split[];
  readonly status: PayoutStatus;
};

export const PAYOUT_COLUMNS =
  'account_id, mode, network, processor, payout_id::text as payout_id, merchant, fee_bps, splits, status';

export const payoutOf = (row: PayoutDbRow): Payout => ({
  accountId: row.account_id,
  mode: row.mode,
  network: row.network,
  processor: row.processor,
  payoutId: row.payout_id,
  merchant: row.merchant,
  feeBps: row.fee_bps,
  splits: row.splits,
  status: row.status,
});
