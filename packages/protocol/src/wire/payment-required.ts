// Answer to an intent that can be paid by X402: HTTP 402. `clientSecret` is for the secret key that created the intent.
import * as z from 'zod/mini';
import { acceptance } from './acceptance.ts';
import { regularOption } from './regular.ts';

export const BODY_X402_VERSION = 2;

export const paymentRequired = z.object({
  x402Version: z.number(),
  paymentIntentId: z.string(),
  rpcChainId: z.string(),
  accepts: z.array(acceptance),
  error: z.string(),
  clientSecret: z.optional(z.string()),
});
export type PaymentRequired = z.infer<typeof paymentRequired>;

/** Answer when X402 can't be used; `error` says why. HTTP 200. `regular` has the other ways to pay the same intent. */
export const fallbackRecommendation = z.object({
  status: z.literal('failed'),
  fallbackSuggested: z.literal(true),
  error: z.string(),
  message: z.string(),
  paymentIntentId: z.string(),
  accepts: z.array(acceptance),
  regular: z.array(regularOption),
  clientSecret: z.optional(z.string()),
});
export type FallbackRecommendation = z.infer<typeof fallbackRecommendation>;
