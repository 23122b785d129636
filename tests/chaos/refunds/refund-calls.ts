// Calls of a merchant about refunds. Every answer is noted, also that there was none.
import { nowMs } from '../harness/clock.ts';
import type { History } from '../harness/history.ts';
import { askOneOf, type Call, type Told } from '../settlement/ask-api.ts';

/** A payment that its merchant gives back, all of it or in parts. */
export type PaidPayment = {
  readonly journey: number;
  readonly intent: string;
  readonly payment: string;
  readonly payer: string;
  /** Of the merchant: where the money went. */
  readonly wallet: string;
  readonly paidAtomic: bigint;
  readonly secretKey: string;
};

export type RefundDesk = { readonly apiUrls: readonly string[]; readonly history: History };

export type RefundCall = 'create' | 'again' | 'submit' | 'report' | 'get' | 'cancel';

export async function askOf(
  { apiUrls, history }: RefundDesk,
  { journey, payment, secretKey }: PaidPayment,
  call: RefundCall,
  { idempotencyKey, ...asked }: Pick<Call, 'path' | 'body'> & { readonly idempotencyKey?: string },
): Promise<Told | undefined> {
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const askedAt = nowMs();
  const told = await askOneOf(apiUrls, journey, { ...asked, key: secretKey, headers }, () => {});
  const refund = refundIn(told);
  history.note('refund told', {
    journey,
    payment,
    call,
    askedAt,
    http: told?.http ?? null,
    error: told?.body['error'],
    refund: refund?.id,
    status: refund?.status,
  });
  return told;
}

export const refundsPath = ({ payment }: PaidPayment): string => `/sdk/payments/${payment}/refunds`;

export function refundIn(told: Told | undefined): { readonly id: string; readonly status: string } | undefined {
  return told?.body['refund'] as { readonly id: string; readonly status: string } | undefined;
}
