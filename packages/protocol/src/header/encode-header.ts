import type { EvmPaymentHeader, PaymentHeader } from '../wire/payment-header.ts';
import { base64FromBytes } from './base64.ts';

export function encodePaymentHeader(header: PaymentHeader | EvmPaymentHeader): string {
  return base64FromBytes(new TextEncoder().encode(JSON.stringify(header)));
}
