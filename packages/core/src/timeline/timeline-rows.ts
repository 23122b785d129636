// What is stored about one intent and its money, as read at one moment.
import type { EventType, NetworkId, Scheme } from '@svc-pay/protocol';
import type { Delivery, DeliveryAttempt } from '@svc-pay/protocol/merchant';
import type { Intent } from '../intent/intent.ts';
import type { BatchStatus } from '../lane/batch-transitions.ts';
import type { StoredPayment } from '../payment/payment.ts';
import type { StoredRefund } from '../refund/refund.ts';
import type { SettlementStatus } from '../settlement/settlement-transitions.ts';
import type { StrandedStatus } from '../stranded/stranded-transitions.ts';

export type TimelineOffer = {
  readonly flow: 'x402' | 'regular';
  readonly scheme: Scheme;
  readonly network: NetworkId;
  readonly tokenShortcode: string;
  readonly amount: string;
  readonly payTo: string;
  readonly confirmations: number;
};

export type TimelineAuthorization = {
  readonly claimKey: string;
  readonly kind: string;
  readonly direct: boolean;
  readonly network: NetworkId;
  readonly asset: string;
  readonly payer: string;
  readonly recipient: string;
  readonly cap: string;
  readonly validBeforeSeconds: number;
  readonly closedAtMs: number | null;
  readonly createdAtMs: number;
};

export type TimelineSettlement = {
  readonly paymentId: string;
  readonly claimKey: string | null;
  readonly status: SettlementStatus;
  readonly settledAmount: string;
  /** Why the chain refused it last. */
  readonly refusal: string | null;
  readonly retryAtMs: number | null;
  /** A receipt may be its payment, and only the merchant can say so. */
  readonly heldForMerchant: boolean;
  /** Somebody else's transaction completed it. */
  readonly foreignTransactionId: string | null;
};

/** A batch that carries a payment or a refund, or carried it until it reverted. */
export type TimelineCarriage = {
  readonly batchId: string;
  readonly paymentId: string | null;
  readonly refundId: string | null;
  readonly reverted: boolean;
};

export type TimelineBatch = {
  readonly id: string;
  readonly network: NetworkId;
  readonly relayer: string;
  readonly nonce: string;
  readonly itemCount: number;
  readonly status: BatchStatus;
  /** The one that was mined, or was sent last. */
  readonly transactionId: string;
  readonly blockNumber: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type TimelineTransaction = {
  readonly batchId: string;
  readonly transactionId: string;
  readonly createdAtMs: number;
};

export type TimelineBooking = {
  readonly id: string;
  readonly paymentId: string;
  readonly network: NetworkId;
  readonly asset: string;
  readonly account: string;
  readonly party: string;
  readonly amount: string;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly reverses: string | null;
  readonly createdAtMs: number;
};

export type TimelineStranding = {
  readonly paymentId: string | null;
  readonly network: NetworkId;
  readonly action: 'settle' | 'return' | 'hold';
  readonly status: StrandedStatus;
  readonly reason: string | null;
  readonly transactionId: string;
  readonly createdAtMs: number;
};

export type TimelineEvent = {
  readonly id: string;
  readonly type: EventType;
  readonly paymentId: string | null;
  readonly createdAtMs: number;
  readonly deliveries: readonly Pick<Delivery, 'endpointId' | 'status' | 'attemptCount' | 'nextAt' | 'reason'>[];
  readonly attempts: readonly (Pick<
    DeliveryAttempt,
    'attempt' | 'outcome' | 'responseStatus' | 'totalMs' | 'nextAt'
  > & {
    readonly endpointId: string;
    readonly startedAtMs: number;
  })[];
};

export type TimelineRows = {
  readonly asOfMs: number;
  /** More is stored than was read. */
  readonly truncated: boolean;
  readonly intent: Intent;
  /** Null for an intent that was not canceled, or if nothing tells when. */
  readonly canceledAtMs: number | null;
  /** The payment that the intent names. */
  readonly namedPaymentId: string | null;
  readonly offers: readonly TimelineOffer[];
  readonly attempts: readonly { readonly code: string; readonly payer: string | null; readonly createdAtMs: number }[];
  readonly authorizations: readonly TimelineAuthorization[];
  readonly payments: readonly StoredPayment[];
  readonly settlements: readonly TimelineSettlement[];
  readonly carriages: readonly TimelineCarriage[];
  readonly batches: readonly TimelineBatch[];
  /** Of a batch in the order in which they were signed. */
  readonly transactions: readonly TimelineTransaction[];
  readonly bookings: readonly TimelineBooking[];
  readonly strandings: readonly TimelineStranding[];
  readonly events: readonly TimelineEvent[];
  readonly refunds: readonly (StoredRefund & { readonly updatedAtMs: number })[];
};
