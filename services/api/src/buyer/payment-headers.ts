// The payment headers of a request, before anything is decided about them.
import type { IncomingHttpHeaders } from 'node:http';
import { type Id, isId } from '@svc-pay/protocol/ids';
import {
  PAYMENT_SIGNATURE_HEADER,
  readPaymentHeader,
  V1_PAYMENT_HEADER,
  type X402Payment,
  type X402Refusal,
  x402Refusal,
} from '@svc-pay/protocol/x402';

export type PaymentHeaders = {
  /** `PAYMENT-SIGNATURE`. */
  readonly v2: string | undefined;
  /** `X-PAYMENT`. */
  readonly v1: string | undefined;
};

export const paymentHeadersOf = (headers: IncomingHttpHeaders): PaymentHeaders => ({
  v2: headers[PAYMENT_SIGNATURE_HEADER] as string | undefined,
  v1: headers[V1_PAYMENT_HEADER] as string | undefined,
});

export const bearsPayment = (headers: IncomingHttpHeaders): boolean =>
  headers[PAYMENT_SIGNATURE_HEADER] !== undefined || headers[V1_PAYMENT_HEADER] !== undefined;

export type SubmittedX402 = {
  readonly ok: true;
  /** The version in which the client is answered. */
  readonly version: 1 | 2;
  readonly encoded: string;
  readonly payment: X402Payment;
};

/** Reads the one payment of a request. Two of them are refused: nobody could say which one was meant. */
export function readSubmittedX402({ v1, v2 }: PaymentHeaders): SubmittedX402 | (X402Refusal & { version: 1 | 2 }) {
  const version = v2 === undefined ? 1 : 2;
  const encoded = v2 ?? v1 ?? '';
  if (v1 !== undefined && v2 !== undefined)
    return { ...x402Refusal('contradiction', '', 'comes in PAYMENT-SIGNATURE and in X-PAYMENT; send one'), version };
  // Node joins repeated headers with a comma, which base64 does not have.
  if (encoded.includes(','))
    return { ...x402Refusal('contradiction', '', 'comes in more than one header; send one'), version };
  const read = readPaymentHeader(encoded);
  return read.ok ? { ok: true, version, encoded, payment: read.payment } : { ...read, version };
}

/** The intent that a version 2 payment names; null for text that can't be one. */
export function intentNamedBy({ accepted }: X402Payment): Id<'paymentIntent'> | null {
  const named = accepted?.extra['intentId'];
  return isId('paymentIntent', named) ? named : null;
}
