// Decodes a payment header. Returns a header or a refusal and never throws.
import { type PaymentHeader, paymentHeader } from '../wire/payment-header.ts';
import { bytesFromBase64 } from './base64.ts';

/** Longest header that is read: a 2 kB contract-wallet signature in hex, in JSON, in base64, with a margin. */
export const MAX_HEADER_CHARACTERS = 16_384;

export type HeaderRefusal = {
  readonly ok: false;
  readonly code: 'invalid_payment_header';
  /** Where decoding stopped; for the log and the integrating engineer. */
  readonly reason: 'not_text' | 'too_long' | 'not_base64' | 'not_utf8' | 'not_json' | 'wrong_shape';
  /** For `wrong_shape`: path of the first field that does not fit. */
  readonly path?: string;
};

export type DecodedHeader = { readonly ok: true; readonly header: PaymentHeader } | HeaderRefusal;

export function decodePaymentHeader(encoded: unknown): DecodedHeader {
  if (typeof encoded !== 'string') return refusal('not_text');
  if (encoded.length > MAX_HEADER_CHARACTERS) return refusal('too_long');
  const bytes = bytesFromBase64(encoded);
  if (bytes === undefined || bytes.length === 0) return refusal('not_base64');

  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refusal('not_utf8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal('not_json');
  }
  const parsed = paymentHeader.safeParse(value);
  if (parsed.success) return { ok: true, header: parsed.data };
  return { ...refusal('wrong_shape'), path: parsed.error.issues[0]?.path.join('.') ?? '' };
}

function refusal(reason: HeaderRefusal['reason']): HeaderRefusal {
  return { ok: false, code: 'invalid_payment_header', reason };
}
