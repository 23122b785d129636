// Acceptances: one per token and chain.
import * as z from 'zod/mini';
import { atomicText, jsonObject, wholeNumber } from './primitives.ts';

export const SCHEMES = ['exact', 'upto'] as const;
export type Scheme = (typeof SCHEMES)[number];
export const scheme = z.enum(SCHEMES);

export const PRIMARY_TYPE_HINTS = ['Permit', 'TransferWithAuthorization'] as const;

/** What a bound nonce is signed as: to the processor, which alone may submit it, or to the merchant's own wallet. */
export const BOUND_AUTHORIZATIONS = ['ReceiveWithAuthorization', 'TransferWithAuthorization'] as const;

/** Terms behind a bound nonce; a client recomputes the nonce from them before it signs. */
export const boundTerms = z.object({
  authorizationType: z.enum(BOUND_AUTHORIZATIONS),
  boundNonce: z.string(),
  terms: jsonObject,
});

/** Loose: a chain may add fields for its own clients; other clients ignore them. */
export const acceptanceExtra = z.looseObject({
  intentId: z.optional(z.string()),
  provider: z.optional(z.string()),
  ledgerId: z.optional(z.string()),
  facilitatorUrl: z.optional(z.nullable(z.string())),
  name: z.optional(z.string()),
  eip3009Version: z.optional(z.string()),
  primaryType: z.optional(z.enum(PRIMARY_TYPE_HINTS)),
  rpcChainId: z.optional(z.string()),
  rpcUrlPublic: z.optional(z.string()),
  permitNonce: z.optional(z.string()),
  svc: z.optional(boundTerms),
});
export type AcceptanceExtra = z.infer<typeof acceptanceExtra>;

export const acceptance = z.object({
  scheme,
  network: z.string(),
  maxAmountRequired: atomicText,
  resource: z.optional(z.nullable(z.string())),
  description: z.optional(z.nullable(z.string())),
  mimeType: z.optional(z.nullable(z.string())),
  payTo: z.string(),
  maxTimeoutSeconds: z.optional(wholeNumber),
  asset: z.optional(z.string()),
  extra: z.optional(acceptanceExtra),
});
export type Acceptance = z.infer<typeof acceptance>;

/**
 * An acceptance as a client sends it back. Only these five fields are compared with the stored one, by meaning; a
 * client may drop, null or extend all others.
 */
export const acceptanceEcho = z.object({
  scheme: z.string(),
  network: z.string(),
  maxAmountRequired: z.string(),
  payTo: z.string(),
  asset: z.nullish(z.string()),
});
export type AcceptanceEcho = z.infer<typeof acceptanceEcho>;
