import type { DirectTerms, Mode, Payout, PayoutStatus } from '@svc-pay/core';
import type { Split } from '@svc-pay/money';
import { type DirectColumns, readDirect } from './direct-columns.ts';

export type PayoutDbRow = DirectColumns & {
  readonly account_id: string;
  readonly mode: Mode;
  readonly network: string;
  readonly processor: string;
  readonly payout_id: string;
  readonly merchant: string;
  readonly fee_bps: number;
  readonly splits: readonly Split[];
  readonly status: PayoutStatus;
  readonly asset: string | null;
  readonly active_from: Date | null;
};

export const PAYOUT_COLUMNS = `account_id, mode, network, processor, payout_id::text as payout_id, merchant, fee_bps, splits,
  status, kind, asset, activation, active_from`;

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
  ...(row.kind === 'direct' && { direct: directTermsOf(row) }),
});

function directTermsOf(row: PayoutDbRow): DirectTerms {
  const { direct } = readDirect(row);
  return {
    asset: row.asset ?? '',
    use: direct?.use ?? 'unreadable',
    activeFrom: row.active_from?.toISOString() ?? '',
    approver: direct?.approver ?? 'unreadable',
  };
}
