// Decodes a payment header of this service's interface or of stock x402. Returns a header or a refusal and never throws.
import type { PaymentHeader } from '../wire/payment-header.ts';
import { readPaymentHeader } from '../x402/read-payment.ts';
import type { X402Refusal } from '../x402/refusal.ts';
import type { X402Terms } from '../x402/requirements.ts';

export type HeaderRefusal = X402Refusal;

export type DecodedHeader =
  | {
      readonly ok: true;
      /** With the network's own name, whichever of its names was written. */
      readonly header: PaymentHeader;
      /** The requirements that a version 2 client repeats. */
      readonly accepted?: X402Terms;
    }
  | HeaderRefusal;

export function decodePaymentHeader(encoded: unknown): DecodedHeader {
  const read = readPaymentHeader(encoded);
  if (!read.ok) return read;
  const { version: x402Version, scheme, network, payload, accepted } = read.payment;
  const header = { x402Version, scheme, network, payload } as PaymentHeader;
  return { ok: true, header, ...(accepted && { accepted }) };
}
