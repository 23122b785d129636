// Stored state of an intent and one header, read in one snapshot: every answer to that header is made from it.
import type { AtomicAmount } from '@svc-pay/money';
import type { PayerBudget } from '../budget/gas-budget.ts';
import type { Intent } from '../intent/intent.ts';
import type { StoredPayment } from '../payment/payment.ts';

/** Progress of a payment, beyond what the wire shows of it. */
export type PaymentProgress = {
  readonly payment: StoredPayment;
  readonly failureCode: string | null;
  /** Network cost in the token's smallest unit; null until it is known. */
  readonly externalCostAmount: AtomicAmount | null;
  /** Platform fee and amount returned to the payer; null until the payment is completed. */
  readonly feeAmount: AtomicAmount | null;
  readonly refundAmount: AtomicAmount | null;
  /** Why the chain refused a direct payment last. It is pending all the same: it may be submitted until it has expired. */
  readonly refusal?: string;
};

export type SettlementRead = {
  readonly intent: Intent;
  /** The intent's latest payment. */
  readonly latest: PaymentProgress | null;
  /** The payment that this header's authorization was claimed for, or that somebody else made with it. */
  readonly own: PaymentProgress | null;
  /** Gas that payments of the header's payer lost; absent where none did. */
  readonly payerBudget?: PayerBudget;
};
