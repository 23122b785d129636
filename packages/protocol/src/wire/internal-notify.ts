// Internal route: POST /payments/notify. The API asks settlement, which alone may write payments, to read a block of a token
// ledger.
import * as z from 'zod/mini';

const blockIndex = z.string().check(z.regex(/^(?:0|[1-9]\d{0,18})$/));

export const internalNotifyRequest = z.object({
  accountId: z.string(),
  mode: z.enum(['test', 'live']),
  paymentIntentId: z.string(),
  /** Canister id of the token ledger. */
  ledger: z.string().check(z.regex(/^[a-z2-7-]{5,63}$/)),
  blockIndex,
});
export type InternalNotifyRequest = z.infer<typeof internalNotifyRequest>;

export const notifyRefusal = z.enum([
  'block_not_found',
  'not_a_transfer',
  'other_account',
  'other_ledger',
  'other_memo',
  'counted_elsewhere',
]);
export type NotifyRefusal = z.infer<typeof notifyRefusal>;

/** `unknown`: the ledger was not asked, or did not answer in time. */
export const internalNotifyResponse = z.object({
  outcome: z.enum(['applied', 'recorded', 'refused', 'unknown']),
  /** Set where the outcome is `refused`. */
  refusal: z.nullable(notifyRefusal),
});
export type InternalNotifyResponse = z.infer<typeof internalNotifyResponse>;
