// A payment as stored, and as shown on the wire.
import type { AtomicAmount } from '@svc-pay/money';
import { chainTypeOf, type NetworkId, type PaymentStatus, type Payment as WirePayment } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { KeyKind } from '../account/api-key.ts';
import { isoTime } from '../clock.ts';
import { type Intent, shownMetadata } from '../intent/intent.ts';

export type StoredPayment = {
  readonly id: Id<'payment'>;
  readonly status: PaymentStatus;
  readonly network: NetworkId;
  readonly tokenSymbol: string;
  readonly asset: string;
  readonly payer: string | null;
  readonly amount: AtomicAmount;
  readonly requestedAmount: AtomicAmount | null;
  readonly paidAmount: AtomicAmount | null;
  readonly transactionId: string | null;
  readonly transactionSplitId: string | null;
  readonly settlementNumber: number | null;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** Whether `payment.created` was emitted for the payment. */
  readonly announced: boolean;
};

/** `viewer` is the kind of key that is answered. */
export function paymentView(payment: StoredPayment, intent: Intent, viewer: KeyKind): WirePayment {
  return {
    id: payment.id,
    accountId: intent.accountId,
    paymentIntentId: intent.id,
    transactionId: payment.transactionId,
    transactionSplitId: payment.transactionSplitId,
    canisterTxId: payment.settlementNumber === null ? null : String(payment.settlementNumber),
    status: payment.status,
    amount: payment.amount.toString(),
    ledgerCanisterId: payment.asset,
    ledgerTxId: payment.transactionId,
    accountCanisterId: null,
    basePaymentAccountId: null,
    invoiceId: null,
    metadata: shownMetadata(intent, viewer),
    requestedAmount: payment.requestedAmount?.toString() ?? null,
    paidAmount: payment.paidAmount?.toString() ?? null,
    createdAt: isoTime(payment.createdAtMs),
    ...(payment.completedAtMs !== null && { completedAt: isoTime(payment.completedAtMs) }),
    network: chainTypeOf(payment.network),
    token: payment.tokenSymbol,
    intent: intentOfPayment(intent, viewer),
  };
}

/** The merchant's data to find the order. The status is left out: intents have events of their own. */
function intentOfPayment(intent: Intent, viewer: KeyKind): WirePayment['intent'] {
  return {
    id: intent.id,
    intentCode: intent.intentCode,
    amount: intent.amount.toString(),
    ledgerCanisterId: intent.ledgerId,
    description: intent.description,
    expectedSenderPrincipal: intent.expectedSender,
    metadata: shownMetadata(intent, viewer),
    createdAt: isoTime(intent.createdAtMs),
  };
}
