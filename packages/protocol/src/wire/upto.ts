// Up-to: the payer signs a cap, the merchant settles the real amount later. Confirm has the same request as settle.
import * as z from 'zod/mini';
import { payment } from './payment.ts';
import { paymentIntent } from './payment-intent.ts';
import { atomicText, isoTime, usdInput } from './primitives.ts';
import { intentStatus, settleStatus } from './statuses.ts';

export const uptoConfirmResponse = z.object({
  ok: z.boolean(),
  alreadyConfirmed: z.boolean(),
  status: intentStatus,
  paymentIntent,
  expiresAt: z.nullable(isoTime),
  error: z.optional(z.string()),
  message: z.optional(z.string()),
});
export type UptoConfirmResponse = z.infer<typeof uptoConfirmResponse>;

/** Exactly one of the two amounts: dollars, rounded down at the intent's rate, or smallest units. */
export const uptoSettleRequest = z.object({
  paymentIntentId: z.string(),
  settledAmountUsd: z.nullish(usdInput),
  settledAmount: z.nullish(z.string()),
  paymentHeader: z.nullish(z.string()),
});
export type UptoSettleRequest = z.infer<typeof uptoSettleRequest>;

export const uptoSettleResponse = z.object({
  ok: z.boolean(),
  status: settleStatus,
  intentStatus,
  paymentIntent,
  payment: z.nullable(payment),
  transactionId: z.nullable(z.string()),
  settledAmount: atomicText,
  capAmount: atomicText,
  refundAmount: atomicText,
  platformFeeAmount: atomicText,
  externalCostAmount: atomicText,
  error: z.optional(z.string()),
  message: z.optional(z.string()),
});
export type UptoSettleResponse = z.infer<typeof uptoSettleResponse>;

export const uptoReleaseRequest = z.object({ paymentIntentId: z.string() });
export type UptoReleaseRequest = z.infer<typeof uptoReleaseRequest>;

/** Internal route: POST /evm/settlement/x402-upto. */
export const internalUptoSettleRequest = z.object({
  accountId: z.string(),
  mode: z.enum(['test', 'live']),
  paymentIntentId: z.string(),
  settledAmount: atomicText,
});
export type InternalUptoSettleRequest = z.infer<typeof internalUptoSettleRequest>;

/** Internal route: POST /payments/accept. */
export const internalAcceptRequest = z.object({
  accountId: z.string(),
  mode: z.enum(['test', 'live']),
  paymentId: z.string(),
});
