// GET /sdk/public/tokens: what an account takes in the mode of the key.
import * as z from 'zod/mini';
import { wholeNumber } from './primitives.ts';

export const acceptedToken = z.object({
  tokenShortcode: z.string(),
  token: z.string(),
  decimals: wholeNumber,
  chain: z.string(),
  chainName: z.string(),
  network: z.enum(['ic', 'evm', 'sol']),
  ledgerCanisterId: z.string(),
  available: z.boolean(),
  upto: z.boolean(),
  /** Absent from a server that is older than the field. */
  regular: z.optional(z.boolean()),
  minimumUsd: z.nullable(z.string()),
  error: z.nullable(z.string()),
  message: z.nullable(z.string()),
});
export type AcceptedToken = z.infer<typeof acceptedToken>;

/** All of them at once: `hasMore` is there because every list has it. */
export const tokenList = z.object({
  livemode: z.boolean(),
  data: z.array(acceptedToken),
  hasMore: z.literal(false),
});
export type TokenList = z.infer<typeof tokenList>;
