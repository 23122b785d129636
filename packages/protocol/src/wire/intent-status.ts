// Reading an intent: GET, the event stream and notify give the same data.
import * as z from 'zod/mini';
import { notifyRefusal } from './internal-notify.ts';
import { payment } from './payment.ts';
import { paymentIntent } from './payment-intent.ts';
import { intentStatus } from './statuses.ts';

export const intentStatusResponse = z.object({
  paymentIntentId: z.string(),
  paymentIntent,
  payment: z.nullable(payment),
});
export type IntentStatusResponse = z.infer<typeof intentStatusResponse>;

/** Hints of the client: the chain is asked, the body is not trusted. */
export const notifyRequest = z.object({
  paymentIntentId: z.string(),
  transactionId: z.nullish(z.string()),
  canisterTxId: z.nullish(z.union([z.string(), z.number()])),
  ledgerCanisterId: z.nullish(z.string()),
  ledgerBlockIndex: z.nullish(z.union([z.string(), z.number()])),
});
export type NotifyRequest = z.infer<typeof notifyRequest>;

export const notifyResponse = z.object({
  paymentIntentId: z.string(),
  paymentId: z.nullable(z.string()),
  status: intentStatus,
  paymentIntent,
  payment: z.nullable(payment),
  /** Why the named block of a token ledger does not pay the intent; null where none was named, or it pays or may pay. */
  refusal: z.optional(z.nullable(notifyRefusal)),
});
export type NotifyResponse = z.infer<typeof notifyResponse>;
