// Payments of the account: find them by filter, and read one.
import type { PaymentStatus } from '@svc-pay/protocol';
import type { ListedPaymentBody } from '@svc-pay/protocol/merchant';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { type CursorPage, type CursorQuery, everyListed, listAt } from '../call/cursor-pages.ts';
import { segment } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';

/**
 * One of status, chain, token, payer and metadata, with any range of time. `intentId` and `transactionId` go with all of them
 * but metadata.
 */
export type PaymentListFilter = CursorQuery & {
  readonly status?: PaymentStatus;
  /** CAIP-2, such as `eip155:8453`. */
  readonly chain?: string;
  /** Shortcode. */
  readonly token?: string;
  readonly payer?: string;
  readonly transactionId?: string;
  readonly intentId?: string;
  /** Adds `paymentIntent` to each payment. */
  readonly expand?: 'intent';
};

export type PaymentFound = { readonly ok: true; readonly payment: ListedPaymentBody };

export type Payments = {
  /** One page, newest first. */
  readonly list: (
    filter?: PaymentListFilter,
    options?: CallOptions,
  ) => Promise<CursorPage<ListedPaymentBody> | CallFailure>;
  /** Every payment, newest first, asking for pages as the loop goes on. Throws a `SvcPayError` when one can't be had. */
  readonly each: (
    filter?: Omit<PaymentListFilter, 'before'>,
    options?: CallOptions,
  ) => AsyncGenerator<ListedPaymentBody, void, undefined>;
  /** The payment with its intent. */
  readonly get: (paymentId: string, options?: CallOptions) => Promise<PaymentFound | CallFailure>;
  /** Completes the intent with a `mismatched` payment: what it paid counts as it is. Accepting it again answers the same. */
  readonly accept: (paymentId: string, options?: CallOptions) => Promise<PaymentFound | CallFailure>;
};

const PAYMENTS = '/sdk/payments';

export function paymentsOf(connection: Connection): Payments {
  const list = listAt<ListedPaymentBody, PaymentListFilter>(connection, PAYMENTS);
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    options?: CallOptions,
  ): Promise<PaymentFound | CallFailure> => {
    const read = withFields<ListedPaymentBody>({ id: 'text', status: 'text', paymentIntentId: 'text' });
    const answer = await connection.call({ method, path: `${PAYMENTS}/${path}`, read }, options);
    return answer.ok ? { ok: true, payment: answer.value } : answer;
  };
  return {
    list: (filter = {}, options) => list(filter, options),
    each: (filter = {}, options) => everyListed(list, filter, options),
    get: (id, options) => ask('GET', segment(id), options),
    accept: (id, options) => ask('POST', `${segment(id)}/accept`, options),
  };
}
