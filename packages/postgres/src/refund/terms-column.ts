// What a Solana refund was prepared with, as JSON. Bigint values are text: JSON numbers would be rounded.
import type { SolanaRefundTerms } from '@svc-pay/core';

export type TermsColumn = Omit<SolanaRefundTerms, 'lastValidBlockHeight' | 'slot'> & {
  readonly lastValidBlockHeight: string;
  readonly slot: string;
};

export function termsColumn(terms: SolanaRefundTerms | null): TermsColumn | null {
  return (
    terms && {
      ...terms,
      lastValidBlockHeight: terms.lastValidBlockHeight.toString(),
      slot: terms.slot.toString(),
    }
  );
}

const NUMBER = /^\d{1,19}$/;

/** Null also for a column that is not terms: one such row must not stop the rows beside it. */
export function termsOf(column: TermsColumn | null): SolanaRefundTerms | null {
  if (column === null) return null;
  const { lastValidBlockHeight, slot, ...rest } = column;
  if (!NUMBER.test(lastValidBlockHeight) || !NUMBER.test(slot)) return null;
  return { ...rest, lastValidBlockHeight: BigInt(lastValidBlockHeight), slot: BigInt(slot) };
}
