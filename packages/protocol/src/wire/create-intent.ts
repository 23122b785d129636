// POST /sdk/public/payments/intents/x402. Null counts as absent, and unknown fields are ignored.
import * as z from 'zod/mini';
import { jsonObject, usdInput, wholeNumber } from './primitives.ts';

export const createIntentRequest = z.object({
  usdAmount: z.nullish(usdInput),
  amountUsd: z.nullish(usdInput),
  amount: z.nullish(z.string()),
  tokenShortcode: z.nullish(z.string()),
  symbol: z.nullish(z.string()),
  ledgerCanisterId: z.nullish(z.string()),
  chainId: z.nullish(z.union([z.number(), z.string()])),
  description: z.nullish(z.string()),
  resource: z.nullish(z.string()),
  mimeType: z.nullish(z.string()),
  metadata: z.nullish(jsonObject),
  x402Upto: z.nullish(z.boolean()),
  publicKey: z.nullish(z.string()),
  payerPublicKey: z.nullish(z.string()),
  expectedSenderPrincipal: z.nullish(z.string()),
  maxTimeoutSeconds: z.nullish(wholeNumber),
});
export type CreateIntentRequest = z.infer<typeof createIntentRequest>;
