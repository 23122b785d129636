// The final amount as the merchant gave it: dollars at the intent's own rate, rounded down, or smallest units.
import { parseAtomic, parseUsd, type Rate, settledFromUsd, type Usd } from '@svc-pay/money';
import type { UptoSettleRequest } from '@svc-pay/protocol';

export type AskedSettlement = { readonly usd: Usd } | { readonly atomic: bigint };

export type ReadSettledAmount =
  | { readonly ok: true; readonly asked: AskedSettlement }
  | {
      readonly ok: false;
      readonly code: 'settled_amount_required' | 'settled_amount_out_of_range' | 'invalid_amount';
      readonly param: 'settledAmount' | 'settledAmountUsd';
    };

/** Zero and what no cap reaches are out of range, whatever the cap. */
export function readSettledAmount({
  settledAmount,
  settledAmountUsd,
}: Pick<UptoSettleRequest, 'settledAmount' | 'settledAmountUsd'>): ReadSettledAmount {
  const [units, dollars] = [settledAmount ?? null, settledAmountUsd ?? null];
  if ((units === null) === (dollars === null))
    return { ok: false, code: 'settled_amount_required', param: 'settledAmount' };
  if (units !== null) {
    const read = parseAtomic(units);
    if (!read.ok) return refused(read.code, 'settledAmount');
    return read.atomic === 0n ? refused('too_large', 'settledAmount') : { ok: true, asked: { atomic: read.atomic } };
  }
  const read = parseUsd(dollars ?? '');
  if (!read.ok) return refused(read.code, 'settledAmountUsd');
  return read.usd === 0n ? refused('too_large', 'settledAmountUsd') : { ok: true, asked: { usd: read.usd } };
}

/** No price of today has a part in it: `rate` is the one that the cap was computed at. */
export function settledAtomicAt(asked: AskedSettlement, rate: Rate): bigint {
  return 'usd' in asked ? settledFromUsd(asked.usd, rate).atomic : asked.atomic;
}

function refused(why: string, param: 'settledAmount' | 'settledAmountUsd'): ReadSettledAmount {
  return { ok: false, code: why === 'too_large' ? 'settled_amount_out_of_range' : 'invalid_amount', param };
}
