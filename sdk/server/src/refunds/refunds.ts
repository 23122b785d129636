// Refunds of payments: what the merchant's wallet signs, and how it stands.
import {
  type CreatedRefund,
  type CreateRefundRequest,
  createdRefund,
  type Refund,
  type RefundList,
  refundList,
  refundResponse,
  type SubmitRefundRequest,
} from '@svc-pay/protocol/merchant';
import { isPositiveAtomic } from '../call/amount.ts';
import { aborted, badCall, type CallFailure, refundFailed } from '../call/call-failure.ts';
import type { CallOptions, Connection, MakeOptions } from '../call/connection.ts';
import { segment } from '../call/path.ts';
import { exactly } from '../call/read-answer.ts';
import type { RefundSigner } from './refund-signer.ts';
import { type RefundWithCall, type RefundWithOptions, refundWith } from './refund-with.ts';

export type CreateRefundCall = {
  readonly paymentId: string;
  /** Digits: the token's smallest unit. All that is left when left out. */
  readonly amount?: string;
  /** Only where the payer can't receive (`refund_recipient_needed`): the address that the payer named. */
  readonly refundTo?: string;
  /** Another wallet of your payouts; the one that was paid when left out. */
  readonly from?: string;
  /** Your own words, at most 200 characters. */
  readonly reason?: string;
  /** Reports a transfer that you made. */
  readonly transactionId?: string;
  /** Which log of it, where several fit. */
  readonly logIndex?: number;
};

/** `sign` is null for a reported transfer. */
export type RefundCreated = { readonly ok: true } & CreatedRefund;
export type RefundFound = { readonly ok: true; readonly refund: Refund };
export type RefundsFound = { readonly ok: true; readonly refunds: readonly Refund[] };

export type Refunds = {
  /** Answers what your wallet signs. Nothing moves until it is submitted. */
  readonly create: (call: CreateRefundCall, options?: MakeOptions) => Promise<RefundCreated | CallFailure>;
  /** The same signature again answers the refund as it is now. */
  readonly submit: (
    refundId: string,
    signed: SubmitRefundRequest,
    options?: CallOptions,
  ) => Promise<RefundFound | CallFailure>;
  readonly get: (refundId: string, options?: CallOptions) => Promise<RefundFound | CallFailure>;
  /** Every refund of the payment, the newest first. */
  readonly list: (paymentId: string, options?: CallOptions) => Promise<RefundsFound | CallFailure>;
  /** Gives up a refund that was not submitted. */
  readonly cancel: (refundId: string, options?: CallOptions) => Promise<RefundFound | CallFailure>;
  /** Waits for the end: `completed`, or a failure with the code of one that failed or was canceled. */
  readonly wait: (refundId: string, options?: CallOptions) => Promise<RefundFound | CallFailure>;
  /**
   * Creates a refund, checks that what the wallet is asked to sign is that refund, has it signed and submits it. Give an
   * idempotency key of your own, such as the number of the return: the same call after a crash then refunds once.
   */
  readonly refundWith: (
    signer: RefundSigner,
    call: RefundWithCall,
    options?: RefundWithOptions,
  ) => Promise<RefundFound | CallFailure>;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

const readCreated = exactly<CreatedRefund>(createdRefund, 201);
const readSubmitted = exactly<{ refund: Refund }>(refundResponse, 202);
const readRefund = exactly<{ refund: Refund }>(refundResponse);
const readList = exactly<RefundList>(refundList);

export function refundsOf(connection: Connection): Refunds {
  const { call } = connection;
  const one = (id: string): string => `/sdk/refunds/${segment(id)}`;
  const ofPayment = (id: string): string => `/sdk/payments/${segment(id)}/refunds`;
  const found = (answer: { ok: true; value: { refund: Refund } } | CallFailure): RefundFound | CallFailure =>
    answer.ok ? { ok: true, refund: answer.value.refund } : answer;

  const get: Refunds['get'] = async (id, options) =>
    found(await call({ method: 'GET', path: one(id), read: readRefund }, options));

  const refunds: Omit<Refunds, 'refundWith'> = {
    get,
    create: async ({ paymentId, ...body }, options) => {
      if (body.amount !== undefined && !isPositiveAtomic(body.amount)) return badCall('invalid_amount', 'amount');
      const path = ofPayment(paymentId);
      const asked: CreateRefundRequest = body;
      const answer = await call({ method: 'POST', path, body: asked, makes: true, read: readCreated }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    // Without an idempotency key: the signature is the key, and a repeat is told how the refund stands.
    submit: async (id, body, options) =>
      found(await call({ method: 'POST', path: `${one(id)}/submit`, body, read: readSubmitted }, options)),
    list: async (paymentId, options) => {
      const answer = await call({ method: 'GET', path: ofPayment(paymentId), read: readList }, options);
      return answer.ok ? { ok: true, refunds: answer.value.data } : answer;
    },
    cancel: async (id, options) =>
      found(await call({ method: 'POST', path: `${one(id)}/cancel`, read: readRefund }, options)),
    wait: async (id, options = {}) => {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const answer = await get(id, options);
        if (!answer.ok || answer.refund.status === 'completed') return answer;
        const { status, failureCode, failureMessage } = answer.refund;
        if (status === 'failed') return refundFailed(failureCode, failureMessage);
        if (status === 'canceled') return badCall('refund_canceled', null);
        await connection.wait(pauseMs, options.signal);
        if (options.signal?.aborted === true) return aborted();
      }
    },
  };
  return {
    ...refunds,
    refundWith: (signer, asked, options) => refundWith(connection, refunds, signer, asked, options),
  };
}
