// What a seller says about a payment in the header of its answer. It is the seller's word, not the chain's.
import { PAYMENT_RESPONSE_HEADER, V1_PAYMENT_RESPONSE_HEADER } from '@svc-pay/protocol/x402';
import { isRecord, jsonFromBase64 } from './read-json.ts';

export type SellerReceipt = {
  readonly success: boolean;
  /** Undefined while there is none. */
  readonly transaction: string | undefined;
  readonly errorReason: string | undefined;
};

/** Undefined when the answer has no such header, or one that can't be read. */
export function readReceipt(headers: Headers): SellerReceipt | undefined {
  const header = headers.get(PAYMENT_RESPONSE_HEADER) ?? headers.get(V1_PAYMENT_RESPONSE_HEADER);
  const value = header === null ? undefined : jsonFromBase64(header);
  if (!isRecord(value) || typeof value['success'] !== 'boolean') return undefined;
  return {
    success: value['success'],
    transaction: textIn(value['transaction']),
    errorReason: textIn(value['errorReason']),
  };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;
