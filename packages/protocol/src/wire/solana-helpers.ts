// Solana: the service builds what a wallet signs, and may relay it.
import * as z from 'zod/mini';
import { acceptanceEcho } from './acceptance.ts';
import { isoTime, jsonObject, wholeNumber } from './primitives.ts';
import { settleResponse } from './settle.ts';

/** Request of prepare and of signable. */
export const prepareRequest = z.object({
  paymentIntentId: z.string(),
  publicKey: z.nullish(z.string()),
  paymentRequirements: z.nullish(acceptanceEcho),
});
export type PrepareRequest = z.infer<typeof prepareRequest>;

/** With `ok` all fields of the transaction, otherwise `error` and `message`: a business result as in settle. */
export const prepareResponse = z.object({
  ok: z.boolean(),
  transactionBase64: z.optional(z.string()),
  lastValidBlockHeight: z.optional(wholeNumber),
  feePayer: z.optional(z.string()),
  expiresAt: z.optional(isoTime),
  error: z.optional(z.string()),
  message: z.optional(z.string()),
});
export type PrepareResponse = z.infer<typeof prepareResponse>;

/** Prefix of the text that a wallet shows. */
export const SIGNABLE_MESSAGE_PREFIX = 'SVC_X402_V2:';

/**
 * With `ok` the text, its bytes, and `fields`, which the header's `authorization` takes over unchanged. Otherwise
 * `error` and a sentence in `message`: a business result as in settle.
 */
export const signableResponse = z.object({
  ok: z.boolean(),
  messageBase64: z.optional(z.string()),
  message: z.string(),
  fields: z.optional(jsonObject),
  setupTransactionBase64: z.optional(z.string()),
  expiresAt: z.optional(isoTime),
  error: z.optional(z.string()),
});
export type SignableResponse = z.infer<typeof signableResponse>;

export const relayRequest = z.object({ paymentIntentId: z.string(), signedTransactionBase64: z.string() });
export type RelayRequest = z.infer<typeof relayRequest>;

export const relayResponse = z.object({ ...settleResponse.shape, signature: z.nullable(z.string()) });
export type RelayResponse = z.infer<typeof relayResponse>;
