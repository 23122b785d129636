// Reads the amount that the merchant settles: dollars at the intent's stored rate, rounded down, or smallest units.
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

/** Zero, and an amount too large for any cap, are out of range whatever the cap. */
export function readSettledAmount({
  settledAmount,
  settledAmountUsd,
}: Pick<UptoSettleRequest, 'settledAmount' | 'settledAmountUsd'>): ReadSettledAmount {
  const [units, dollars] = [settledAmount ?? null, settledAmountUsd ?? null];
  if ((units === null) === (dollars === null))
    return { ok: false, code: 'settled_amount_required', param: 'settledAmount' };
  if (units !== null) {
    const read = parseAtomic(units);
    if (!read.ok) return read.code === 'too_large' ? outOfRange('settledAmount') : malformed('settledAmount');
    return read.atomic === 0n ? outOfRange('settledAmount') : { ok: true, asked: { atomic: read.atomic } };
  }
  const read = parseUsd(dollars ?? '');
  if (!read.ok) return read.code === 'too_large' ? outOfRange('settledAmountUsd') : malformed('settledAmountUsd');
  return read.usd === 0n ? outOfRange('settledAmountUsd') : { ok: true, asked: { usd: read.usd } };
}

/** `rate` is the one that the intent stored when its cap was computed, not the current price. */
export function settledAtomicAt(asked: AskedSettlement, rate: Rate): bigint {
  return 'usd' in asked ? settledFromUsd(asked.usd, rate).atomic : asked.atomic;
}

type Param = 'settledAmount' | 'settledAmountUsd';

const outOfRange = (param: Param): ReadSettledAmount => ({ ok: false, code: 'settled_amount_out_of_range', param });
const malformed = (param: Param): ReadSettledAmount => ({ ok: false, code: 'invalid_amount', param });
