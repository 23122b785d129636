// The payment that a request bears. Two payments in one request are none: whichever was meant, the other would be taken by
// chance.
import {
  PAYMENT_SIGNATURE_HEADER,
  readPaymentHeader,
  V1_PAYMENT_HEADER,
  type X402Payment,
} from '@svc-pay/protocol/x402';
import type { RequestFacts } from './answer.ts';

export type PresentedPayment = {
  readonly ok: true;
  readonly encoded: string;
  readonly payment: X402Payment;
  /** The decoded object as it came, to be handed to the facilitator. */
  readonly payload: { readonly x402Version: number };
};

/** Undefined when the request bears no payment. */
export function presentedPayment({
  header,
}: RequestFacts): PresentedPayment | { readonly ok: false; readonly message: string } | undefined {
  const given = [PAYMENT_SIGNATURE_HEADER, V1_PAYMENT_HEADER].flatMap((name) => header(name) ?? []);
  const [encoded, another] = given;
  if (encoded === undefined) return undefined;
  if (another !== undefined || encoded.includes(','))
    return { ok: false, message: 'The request bears more than one payment.' };
  const read = readPaymentHeader(encoded);
  if (!read.ok) return read;
  const payload = JSON.parse(new TextDecoder().decode(bytesOf(encoded))) as { readonly x402Version: number };
  return { ok: true, encoded, payment: read.payment, payload };
}

function bytesOf(encoded: string): Uint8Array {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
