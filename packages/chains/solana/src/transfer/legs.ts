// The legs of a payment: one transfer per recipient, by the same arithmetic as on every other chain.
import { type AtomicAmount, breakDown, type PayoutTerms } from '@svc-pay/money';

export type Leg = { readonly owner: string; readonly amountAtomic: bigint };

export type Recipients = {
  readonly merchant: string;
  /** Recipient of the platform's fee. */
  readonly feeRecipient: string;
  readonly terms: PayoutTerms;
};

/** Merchant, fee, splits; zero amounts are left out. The amounts sum to the whole. */
export function legsOf(amount: AtomicAmount, { merchant, feeRecipient, terms }: Recipients): readonly Leg[] {
  const broken = breakDown(amount, amount, terms);
  if (!broken.ok) throw new RangeError(`${amount} units to ${merchant} can't be divided: ${broken.code}`);
  const { merchantAtomic, feeAtomic, splits } = broken.breakdown;
  return [
    { owner: merchant, amountAtomic: merchantAtomic },
    { owner: feeRecipient, amountAtomic: feeAtomic },
    ...splits.map(({ to, amountAtomic }) => ({ owner: to, amountAtomic })),
  ].filter(({ amountAtomic }) => amountAtomic > 0n);
}
