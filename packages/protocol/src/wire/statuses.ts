// All status words of the wire. `canceled` has one l here; the event type `payment.cancelled` has two.
import * as z from 'zod/mini';

export const INTENT_STATUSES = [
  'requires_payment',
  'processing',
  'completed',
  'failed',
  'canceled',
  'mismatched',
] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];
export const intentStatus = z.enum(INTENT_STATUSES);

export const PAYMENT_STATUSES = ['pending', 'completed', 'failed', 'canceled', 'refunded', 'mismatched'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const paymentStatus = z.enum(PAYMENT_STATUSES);

export const SETTLE_STATUSES = ['succeeded', 'failed', 'processing', 'completed', 'mismatched'] as const;
export type SettleStatus = (typeof SETTLE_STATUSES)[number];
export const settleStatus = z.enum(SETTLE_STATUSES);
