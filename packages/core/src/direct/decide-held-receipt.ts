// Decides what a merchant's word does to a payment that is held for it: a transfer reached the wallet with the payment's
// authorization, and only the merchant knows what the payer bought with it.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { TransferLog } from '../reader/money-log.ts';
import { SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';
import { provesPayment, type SignedTransferTerms } from './proves-payment.ts';

/** `accept`: the transfer is this payment. `refuse`: the payer bought something else with it. */
export type MerchantWord = 'accept' | 'refuse';

export type HeldFacts = {
  readonly settlement: SettlementStatus | undefined;
  readonly heldForMerchant: boolean;
  readonly signed: SignedTransferTerms;
  /** The unattributed receipt that was stored for the payment; undefined when its transfer proves something else. */
  readonly receipt: TransferLog | undefined;
};

export type HeldDecision =
  | { readonly step: 'complete'; readonly receipt: TransferLog }
  | { readonly step: 'fail'; readonly code: ErrorCode }
  | { readonly step: 'none'; readonly code: 'payment_not_held' | 'receipt_unknown' };

export function decideHeldReceipt(
  { settlement, heldForMerchant, signed, receipt }: HeldFacts,
  word: MerchantWord,
): HeldDecision {
  if (settlement !== SETTLEMENT_STATUS.held || !heldForMerchant) return { step: 'none', code: 'payment_not_held' };
  if (word === 'refuse') return { step: 'fail', code: 'authorization_already_used' };
  if (receipt === undefined || !provesPayment(signed, receipt)) return { step: 'none', code: 'receipt_unknown' };
  return { step: 'complete', receipt };
}
