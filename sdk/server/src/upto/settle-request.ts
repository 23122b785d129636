// The settled amount as a merchant gives it: dollars or smallest units, one of the two. Checked before it is sent, since
// JSON would turn a NaN into an amount that is missing.
import type { UptoSettleRequest } from '@svc-pay/protocol';
import { isPositiveAtomic, isPositiveUsd } from '../call/amount.ts';
import { badCall, type CallFailure } from '../call/call-failure.ts';

type InDollars = {
  /** Decimal text such as `'3.75'`, or a number. Converted at the intent's own rate, rounded down. */
  readonly settledAmountUsd: string | number;
  readonly settledAmount?: undefined;
};
type InSmallestUnits = {
  /** Digits: the token's smallest unit. */
  readonly settledAmount: string;
  readonly settledAmountUsd?: undefined;
};

export type SettleCall = {
  readonly paymentIntentId: string;
  /** Needed only when the payer's authorization was not confirmed with the service before. */
  readonly paymentHeader?: string;
} & (InDollars | InSmallestUnits);

export function settleRequest(
  call: SettleCall,
): { readonly ok: true; readonly request: UptoSettleRequest } | CallFailure {
  const { paymentIntentId, paymentHeader, settledAmount, settledAmountUsd } = call;
  if ((settledAmount === undefined) === (settledAmountUsd === undefined)) {
    return badCall('settled_amount_required', 'settledAmount');
  }
  const isPositive = settledAmount === undefined ? isPositiveUsd(settledAmountUsd) : isPositiveAtomic(settledAmount);
  if (!isPositive) {
    const param = settledAmount === undefined ? 'settledAmountUsd' : 'settledAmount';
    return badCall('invalid_amount', param);
  }
  return {
    ok: true,
    request: {
      paymentIntentId,
      ...(settledAmount === undefined ? { settledAmountUsd } : { settledAmount }),
      ...(paymentHeader !== undefined && { paymentHeader }),
    },
  };
}
