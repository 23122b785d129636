import type { TransactionDetail, TransactionEventType } from '@svc-pay/sdk';

/** The window event of a confirmed up-to authorization. */
const UPTO_SUBMITTED = 'svc-x402-upto-submitted';

/** What `svc-x402-upto-submitted` carries. Amounts are digits in the token's smallest unit. */
export type UptoSubmitted = {
  readonly paymentIntentId: string;
  /** The merchant's name for what is paid, as the button was told. */
  readonly order: string | null;
  /** At most this much can be charged, once. */
  readonly capAmount: string | null;
  readonly asset: string | null;
  readonly network: string | null;
  readonly payer: string | null;
  /** ISO 8601: until when the merchant may charge. */
  readonly expiresAt: string | null;
};

export function tellUptoSubmitted(detail: UptoSubmitted): void {
  globalThis.window?.dispatchEvent(new CustomEvent(UPTO_SUBMITTED, { detail }));
}

export function tellTransaction(type: TransactionEventType, detail: TransactionDetail): void {
  globalThis.window?.dispatchEvent(new CustomEvent(type, { detail }));
}
