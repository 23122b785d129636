// The intent in answers and webhooks, and its snapshot in the event of an up-to confirm.
import * as z from 'zod/mini';
import { atomicText, isoTime, jsonObject, usdText, wholeNumber } from './primitives.ts';
import { intentStatus } from './statuses.ts';

export const UPTO_CAP_METADATA_KEY = 'svc_x402_upto_max_amount_atomic';
export const UPTO_SETTLED_METADATA_KEY = 'svc_x402_upto_settled_amount_atomic';

/** Beyond the interface's own fields. Absent in events that an earlier release stored, null where nobody recorded it. */
const additions = {
  tokens: z.optional(z.nullable(z.array(z.string()))),
  createdWith: z.optional(z.nullable(z.enum(['secret', 'publishable', 'x402']))),
};

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
  amountUsd: z.optional(z.nullable(usdText)),
  ...additions,
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
  ...additions,
});
export type IntentSnapshot = z.infer<typeof intentSnapshot>;
