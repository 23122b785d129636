import type { IntentStatus, MoneyMoved } from '@svc-pay/protocol';

export const TRANSACTION_EVENTS = [
  'svc-sdk-transaction-created',
  'svc-sdk-transaction-updated',
  'svc-sdk-transaction-completed',
  'svc-sdk-transaction-failed',
  'svc-sdk-transaction-mismatched',
] as const;

export type TransactionEventType = (typeof TRANSACTION_EVENTS)[number];

/** What every event carries, whichever it is. Amounts are digits in the token's smallest unit. */
export type TransactionDetail = {
  /** One per call of `createPayment` or `createUptoAuthorization`, and another where a call goes on by the regular flow; `waitForPayment` goes on with one or begins its own. */
  readonly attemptId: string;
  /** Null only in a `failed` event of an attempt that ended before the service had made an intent. */
  readonly paymentIntentId: string | null;
  readonly kind: 'exact' | 'upto';
  /** `regular`: the payer sends the money with gas of his own, after X402 could not be used for the same intent. */
  readonly flow: 'x402' | 'regular';
  /** The intent's status in the service's own words; null until it has said one. */
  readonly status: IntentStatus | null;
  /** Hash on chain, once known. */
  readonly transactionId: string | null;
  readonly network: string | null;
  /** Address of the token. */
  readonly asset: string | null;
  readonly payer: string | null;
  /** What is signed: the price, or the cap of an up-to payment. */
  readonly amount: string | null;
  /** Both are set when the payment is mismatched. */
  readonly requestedAmount: string | null;
  readonly paidAmount: string | null;
  /** The cap that the service holds an up-to authorization for; null until it has said so. */
  readonly authorizedCap: string | null;
  readonly moneyMoved: MoneyMoved;
  /** Set in `failed` and `mismatched`. */
  readonly error: TransactionError | null;
};

export type TransactionError = {
  readonly code: string;
  /** A sentence for the payer. */
  readonly message: string;
  readonly userCancelled: boolean;
};
