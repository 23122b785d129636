// When a payment that X402 did not make may be made by the regular flow. A signature that left the page may pay until it is
// dead, so whoever pays again beside it pays twice.
import type { MoneyMoved, Scheme } from '@svc-pay/protocol';

/** How X402 ended. */
export type X402End =
  /** The service offered nothing to sign. */
  | { readonly at: 'offer' }
  /** The wallet was asked, and no signature came of it. */
  | { readonly at: 'signature'; readonly code: string }
  /** A signed header was sent, and this is what became of it. */
  | {
      readonly at: 'header';
      readonly code: string;
      readonly moneyMoved: MoneyMoved;
      /** An answer for it was missing or unclear, or spoke of it as under way. */
      readonly isInDoubt: boolean;
    };

/** The wallet does not know how to sign typed data; nobody was asked to. */
export const TYPED_DATA_UNSUPPORTED = 'typed_data_unsupported';
const MINIMUM_NOT_MET = 'x402_minimum_amount_not_met';

export function mayPayRegularly(scheme: Scheme, end: X402End): boolean {
  // The regular flow takes the amount at once. Of an up-to payment that would be the whole cap.
  if (scheme === 'upto') return false;
  if (end.at === 'offer') return true;
  if (end.at === 'signature') return end.code === TYPED_DATA_UNSUPPORTED;
  return end.code === MINIMUM_NOT_MET && end.moneyMoved === 'no' && !end.isInDoubt;
}
