// POST /sdk/public/payments/x402/settle
import * as z from 'zod/mini';
import { acceptanceEcho } from './acceptance.ts';
import { payment } from './payment.ts';
import { paymentIntent } from './payment-intent.ts';
import { atomicText, wholeNumber } from './primitives.ts';
import { settleStatus } from './statuses.ts';

export const settleRequest = z.object({
  paymentIntentId: z.string(),
  paymentHeader: z.string(),
  paymentRequirements: z.nullish(acceptanceEcho),
});
export type SettleRequest = z.infer<typeof settleRequest>;

/** `transactionId` and `payment` are null, `canisterTxId` 0 and `externalCostAmount` "0" until they have a value. */
export const settleResponse = z.object({
  status: settleStatus,
  paymentIntent,
  payment: z.nullable(payment),
  transactionId: z.nullable(z.string()),
  canisterTxId: wholeNumber,
  externalCostAmount: atomicText,
  error: z.optional(z.string()),
});
export type SettleResponse = z.infer<typeof settleResponse>;
