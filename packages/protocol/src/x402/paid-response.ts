// Body of an answer to a stock client that paid, or that asks what became of its payment.
import * as z from 'zod/mini';
import { payment } from '../wire/payment.ts';
import { paymentIntent } from '../wire/payment-intent.ts';
import { settleStatus } from '../wire/statuses.ts';

export const paidResponse = z.object({
  paymentIntentId: z.string(),
  status: settleStatus,
  paymentIntent,
  payment: z.nullable(payment),
  /** Null until there is one. */
  transactionId: z.nullable(z.string()),
  /** Where to ask again; a payable address needs its `client_secret` there too. */
  statusUrl: z.string(),
  /** Code of a refusal or failure. */
  error: z.optional(z.string()),
  /** The field, and why it was refused. */
  message: z.optional(z.string()),
});
export type PaidResponse = z.infer<typeof paidResponse>;
