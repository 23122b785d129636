import { type AcceptanceEcho, acceptanceEcho } from '@svc-pay/protocol';
import { type Id, isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';

/** Only the intent id makes a request malformed; every other mismatch is a failure of the header. */
const named = z.object({
  paymentIntentId: z.string(),
  paymentHeader: z.optional(z.unknown()),
  paymentRequirements: z.optional(z.unknown()),
});

/** Placeholder that matches no acceptance. */
const NO_ACCEPTANCE = { scheme: '', network: '', maxAmountRequired: '', payTo: '' };

export type SubmittedHeader = {
  /** Null for text that cannot be an intent id. */
  readonly intentId: Id<'paymentIntent'> | null;
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
};

/** Reads the body of settle and confirm. Undefined if it names no intent. */
export function readSubmittedHeader(body: unknown): SubmittedHeader | undefined {
  const request = named.safeParse(body);
  if (!request.success) return undefined;
  const { paymentIntentId, paymentHeader, paymentRequirements } = request.data;
  const echo = z.nullish(acceptanceEcho).safeParse(paymentRequirements);
  return {
    intentId: isId('paymentIntent', paymentIntentId) ? paymentIntentId : null,
    encodedHeader: typeof paymentHeader === 'string' ? paymentHeader : '',
    echo: echo.success ? echo.data : NO_ACCEPTANCE,
  };
}
