// The intent in answers and webhooks, and its snapshot in the event of an up-to confirm.
import * as z from 'zod/mini';
import { atomicText, isoTime, jsonObject, wholeNumber } from './primitives.ts';
import { intentStatus } from './statuses.ts';

export const UPTO_CAP_METADATA_KEY = 'svc_x402_upto_max_amount_atomic';
export const UPTO_SETTLED_METADATA_KEY = 'svc_x402_upto_settled_amount_atomic';

export const paymentIntent = z.object({
  id: z.string(),
  accountId: z.string(),
  amount: atomicText,
  ledgerCanisterId: z.string(),
  description: z.nullable(z.string()),
  expectedSenderPrincipal: z.nullable(z.string()),
  status: intentStatus,
  intentCode: wholeNumber,
  metadata: jsonObject,
  createdAt: isoTime,
  x402_upto: z.boolean(),
  expiresAt: z.nullable(isoTime),
  confirmations: wholeNumber,
});
export type PaymentIntent = z.infer<typeof paymentIntent>;

export const intentSnapshot = z.object({
  id: z.string(),
  object: z.literal('payment_intent'),
  paymentIntentId: z.string(),
  status: intentStatus,
  amount: atomicText,
  amountUsd: z.nullable(z.number()),
  ledgerCanisterId: z.nullable(z.string()),
  payer: z.nullable(z.string()),
  metadata: jsonObject,
  intentCode: z.nullable(wholeNumber),
});
export type IntentSnapshot = z.infer<typeof intentSnapshot>;
