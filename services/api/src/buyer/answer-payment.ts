// Answers a payment of a stock client. The status is never a new 402 while money may move: 200 for a payment that
// succeeded, 202 while it is under way, 402 only where the same intent may be paid again, 409 where it can't be paid any more or
// the refused signature may still move money.
import { isPayable, type SettleResult } from '@svc-pay/core';
import { ERRORS, type ErrorCode, isErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import {
  caip2NameOf,
  DUPLICATE_SETTLEMENT,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  type PaidResponse,
  SETTLEMENT_PENDING,
  V1_PAYMENT_RESPONSE_HEADER,
  v1NameOf,
  type X402Refusal,
  type X402SettleAnswer,
  x402ReasonOf,
} from '@svc-pay/protocol/x402';
import type { RouteOutcome } from '../routes/outcome.ts';
import type { World } from '../routes/route.ts';
import { encodeHeader, type StoredChallenge } from './challenge.ts';
import type { SubmittedX402 } from './payment-headers.ts';

type Reply = Extract<SettleResult, { ok: true }>;

export const NO_STORE = { 'cache-control': 'no-store' };

/** A payment that can't be read names no intent: 400, with the field and why. */
export function refuseUnreadable({ path, message, version }: X402Refusal & { readonly version: 1 | 2 }): RouteOutcome {
  const answer: X402SettleAnswer = {
    success: false,
    transaction: '',
    network: '',
    errorReason: 'invalid_payload',
    errorMessage: message,
  };
  const param = path === '' ? (version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE') : path;
  return { ok: false, code: 'malformed_request', param, headers: responseHeaders(version, answer) };
}

function responseHeaders(version: 1 | 2, answer: X402SettleAnswer): Readonly<Record<string, string>> {
  return { [version === 1 ? V1_PAYMENT_RESPONSE_HEADER : PAYMENT_RESPONSE_HEADER]: encodeHeader(answer) };
}

export type PaymentAnswer = {
  readonly intentId: Id<'paymentIntent'>;
  readonly submitted: SubmittedX402;
  readonly reply: Reply;
  readonly statusUrl: string;
  /** The challenge of the same intent, with the reason of the refusal; asked for only if it may be paid again. */
  readonly challenge: (error: string) => Promise<StoredChallenge | undefined>;
  /** Makes the body of a 402 from what the client would get without a body of its own. */
  readonly body402: (paid: PaidResponse, challenge: StoredChallenge) => object;
};

export async function answerPayment(world: World, given: PaymentAnswer): Promise<RouteOutcome> {
  const { intentId, submitted, reply, statusUrl } = given;
  const { response } = reply;
  const { status, paymentIntent, payment, transactionId } = response;
  const { answer, message } = settleAnswerOf(submitted, reply);
  const paid: PaidResponse = {
    paymentIntentId: intentId,
    status,
    paymentIntent,
    payment,
    transactionId,
    statusUrl,
    ...(response.error !== undefined && { error: response.error }),
    ...(message !== undefined && { message }),
  };
  const headers = { ...NO_STORE, ...responseHeaders(submitted.version, answer) };
  const say = (code: number, body: object, more: Readonly<Record<string, string>> = {}): RouteOutcome => ({
    ok: true,
    answer: { status: code, headers: { ...headers, ...more }, body: JSON.stringify(body) },
    replayed: false,
  });
  if (status === 'succeeded') return say(200, paid);
  if (status === 'processing') return say(202, paid, { location: statusUrl });
  const expiresAtMs = paymentIntent.expiresAt === null ? 0 : Date.parse(paymentIntent.expiresAt);
  const isOpen = isPayable({ status: paymentIntent.status, expiresAtMs }, world.ports.clock.nowMs());
  // A stock client that sees a challenge signs once more.
  const mayBePaid = isOpen && !reply.mayStillMove && !USED.has(response.error ?? '');
  const challenge = mayBePaid ? await given.challenge(message ?? response.error ?? '') : undefined;
  if (challenge?.header === undefined) return say(409, paid);
  return say(402, given.body402(paid, challenge), { [PAYMENT_REQUIRED_HEADER]: challenge.header });
}

/** The authorization is used, or taken for another intent: its money has moved or will. */
const USED: ReadonlySet<string> = new Set<ErrorCode>(['authorization_already_used', 'authorization_bound_elsewhere']);

type Told = { readonly answer: X402SettleAnswer; readonly message: string | undefined };

function settleAnswerOf({ version, payment }: SubmittedX402, reply: Reply): Told {
  const { response, own, payer, detail, mayStillMove } = reply;
  const { network, accepted } = payment;
  const { status, transactionId, error } = response;
  const common = {
    transaction: transactionId ?? '',
    network: (version === 1 ? v1NameOf(network) : undefined) ?? caip2NameOf(network),
    ...(payer !== null && { payer }),
  };
  if (status === 'succeeded') {
    const amount = response.payment?.paidAmount ?? accepted?.amount;
    return { answer: { success: true, ...common, ...(amount && { amount }) }, message: undefined };
  }
  const refused = (errorReason: string, errorMessage: string): Told => ({
    answer: { success: false, ...common, errorReason, errorMessage },
    message: errorMessage,
  });
  if (status === 'processing') {
    const told = own ? 'The payment is under way' : 'Another payment of this intent is under way';
    return refused(SETTLEMENT_PENDING, `${told}; ask at the status address and sign nothing more.`);
  }
  if (status === 'completed')
    return refused(DUPLICATE_SETTLEMENT, 'The intent is paid by another payment; sign nothing more.');
  const code = error !== undefined && isErrorCode(error) ? error : undefined;
  const field = detail === undefined || !/^[a-zA-Z.]+$/.test(detail) ? '' : ` (${detail})`;
  const reason = `${code ?? status}${field}: ${code === undefined ? 'The payment failed.' : ERRORS[code].message}`;
  const sentence = mayStillMove
    ? `${reason} The signature stays valid until it expires: send the same payment again, sign no other.`
    : reason;
  return refused(
    code === undefined ? 'unexpected_settle_error' : x402ReasonOf(code, version, network, 'settle'),
    sentence,
  );
}
