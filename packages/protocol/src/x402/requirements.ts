// What a payer may sign, in the shapes of x402 version 1 and version 2, and the one form that both are read into.
import * as z from 'zod/mini';
import type { NetworkId } from '../network/network.ts';
import { atomicText, jsonObject, wholeNumber } from '../wire/primitives.ts';

const filledText = z.string().check(z.minLength(1), z.maxLength(2_048));
const seconds = wholeNumber.check(z.positive());
const extra = z.nullish(jsonObject);

export const x402Resource = z.looseObject({
  url: filledText,
  description: z.nullish(z.string()),
  mimeType: z.nullish(z.string()),
});
export type X402Resource = z.infer<typeof x402Resource>;

/** Version 2. */
export const x402Requirements = z.object({
  scheme: filledText,
  network: filledText,
  amount: atomicText,
  asset: filledText,
  payTo: filledText,
  maxTimeoutSeconds: seconds,
  extra,
});
export type X402Requirements = z.infer<typeof x402Requirements>;

export const x402RequirementsV1 = z.object({
  scheme: filledText,
  network: filledText,
  maxAmountRequired: atomicText,
  resource: z.string(),
  description: z.nullish(z.string()),
  mimeType: z.nullish(z.string()),
  outputSchema: z.nullish(jsonObject),
  payTo: filledText,
  maxTimeoutSeconds: seconds,
  asset: filledText,
  extra,
});
export type X402RequirementsV1 = z.infer<typeof x402RequirementsV1>;

/** The object inside a `PAYMENT-REQUIRED` header. */
export const x402Challenge = z.object({
  x402Version: z.literal(2),
  error: z.optional(z.string()),
  resource: x402Resource,
  accepts: z.array(x402Requirements),
  extensions: z.nullish(jsonObject),
});
export type X402Challenge = z.infer<typeof x402Challenge>;

/** The body of a 402 of version 1. */
export const x402ChallengeV1 = z.object({
  x402Version: z.literal(1),
  error: z.optional(z.string()),
  accepts: z.array(x402RequirementsV1),
});
export type X402ChallengeV1 = z.infer<typeof x402ChallengeV1>;

/** Requirements of either version after reading. */
export type X402Terms = {
  readonly scheme: 'exact' | 'upto';
  readonly network: NetworkId;
  /** In the token's smallest unit. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, unknown>>;
  /** Undefined in version 2, which names the resource once, beside its requirements. */
  readonly resource: X402Resource | undefined;
};
