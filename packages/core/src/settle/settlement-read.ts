// What is stored about an intent and one header, read in one look: every answer to that header is made from it.
import type { AtomicAmount } from '@svc-pay/money';
import type { Intent } from '../intent/intent.ts';
import type { Payment } from '../payment/payment.ts';

/** How far a payment has come, beyond what the wire shows of a payment. */
export type PaymentProgress = {
  readonly payment: Payment;
  readonly failureCode: string | null;
  /** Network cost in the token's smallest unit; null until it is known. */
  readonly externalCostAmount: AtomicAmount | null;
  /** What the platform kept and what went back to the payer; null until the payment is completed. */
  readonly feeAmount: AtomicAmount | null;
  readonly refundAmount: AtomicAmount | null;
  /** Of the transaction that carries the payment while its end is not recorded; null before it was sent. */
  readonly sentTransactionId: string | null;
};

export type SettlementRead = {
  readonly intent: Intent;
  /** The intent's latest payment. */
  readonly latest: PaymentProgress | null;
  /** The payment that this header's authorization was claimed for. */
  readonly own: PaymentProgress | null;
};
