import { type AcceptanceEcho, acceptanceEcho } from '@svc-pay/protocol';
import { type Id, isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';

/** Only this must fit for the request to be one at all: everything else that does not fit is the header's failure. */
const named = z.object({
  paymentIntentId: z.string(),
  paymentHeader: z.optional(z.unknown()),
  paymentRequirements: z.optional(z.unknown()),
});

/** Fits nothing that was ever offered. */
const NO_ACCEPTANCE = { scheme: '', network: '', maxAmountRequired: '', payTo: '' };

export type SentHeader = {
  /** Null for what can't be an id of ours. */
  readonly intentId: Id<'paymentIntent'> | null;
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
};

/** What settle and confirm take. Undefined when the body names no intent. */
export function readSentHeader(body: unknown): SentHeader | undefined {
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
