// What a stock seller sends to verify and to settle.
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { readPayment, readTerms, type X402Payment, type X402Terms } from '@svc-pay/protocol/x402';
import * as z from 'zod/mini';

export const facilitatorRequest = z.object({
  x402Version: z.optional(z.literal([1, 2])),
  paymentPayload: z.looseObject({ x402Version: z.literal([1, 2]) }),
  paymentRequirements: z.looseObject({ network: z.string() }),
});

export type FacilitatorRequest =
  | {
      readonly ok: true;
      readonly payment: X402Payment;
      readonly terms: X402Terms;
      /** The network as the seller names it. */
      readonly network: string;
    }
  | { readonly ok: false; readonly message: string; readonly network: string; readonly version: 1 | 2 };

/** Never throws. A refusal names the field. */
export function readFacilitatorRequest(body: unknown): FacilitatorRequest {
  const read = facilitatorRequest.safeParse(body);
  if (!read.success) {
    const path = read.error.issues[0]?.path.join('.') ?? '';
    const message = `The field ${path === '' ? 'x402Version' : path} of the request is missing or has another form.`;
    return { ok: false, message, network: '', version: 2 };
  }
  const { paymentPayload, paymentRequirements } = read.data;
  const { network } = paymentRequirements;
  const version = paymentPayload.x402Version;
  const payment = readPayment(paymentPayload);
  if (!payment.ok) return { ok: false, message: `In paymentPayload: ${payment.message}`, network, version };
  const terms = readTerms(version, paymentRequirements, 'paymentRequirements');
  if (!terms.ok) return { ok: false, message: terms.message, network, version };
  return { ok: true, payment: payment.payment, terms: terms.terms, network };
}

export { x402ReasonOf as reasonOf } from '@svc-pay/protocol/x402';

/** Our own code, and a sentence. */
export function messageOf(code: ErrorCode, message?: string): string {
  return `${code}: ${message ?? ERRORS[code].message}`;
}
