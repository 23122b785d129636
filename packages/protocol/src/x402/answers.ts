// What a facilitator answers, and what a `PAYMENT-RESPONSE` header says. Names of errors are the published ones.
import * as z from 'zod/mini';
import { jsonObject } from '../wire/primitives.ts';

export const x402SettleAnswer = z.object({
  success: z.boolean(),
  /** Empty until there is one. */
  transaction: z.string(),
  network: z.string(),
  payer: z.optional(z.string()),
  amount: z.optional(z.string()),
  errorReason: z.optional(z.string()),
  errorMessage: z.optional(z.string()),
  extensions: z.optional(jsonObject),
});
export type X402SettleAnswer = z.infer<typeof x402SettleAnswer>;

export const x402VerifyAnswer = z.object({
  isValid: z.boolean(),
  invalidReason: z.optional(z.string()),
  invalidMessage: z.optional(z.string()),
  payer: z.optional(z.string()),
});
export type X402VerifyAnswer = z.infer<typeof x402VerifyAnswer>;

const x402Kind = z.object({
  x402Version: z.literal([1, 2]),
  scheme: z.string(),
  network: z.string(),
  extra: z.optional(jsonObject),
});
export type X402Kind = z.infer<typeof x402Kind>;

export const x402Supported = z.object({
  kinds: z.array(x402Kind),
  extensions: z.array(z.string()),
  signers: z.record(z.string(), z.array(z.string())),
});
export type X402Supported = z.infer<typeof x402Supported>;
