import { type SellerSettle, settleForSeller } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import {
  DUPLICATE_SETTLEMENT,
  SETTLEMENT_PENDING,
  type X402SettleAnswer,
  x402SettleAnswer,
} from '@svc-pay/protocol/x402';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { facilitatorRequest, messageOf, readFacilitatorRequest, reasonOf } from './facilitator-request.ts';

export const settle: KeyedRoute = {
  operationId: 'x402Settle',
  method: 'POST',
  path: '/x402/settle',
  access: 'secret',
  ignoresUnknownFields: true,
  scope: 'charge',
  quota: 'settles',
  sparesClaimed: true,
  summary: 'Settle a payment for a stock x402 seller',
  description:
    'Creates an intent of the account and settles the payment for it, with events and books as every payment. The answer ' +
    'comes when the result is known, after 60 seconds at the latest as `settlement_pending` with the transaction. The same ' +
    'call again gets the outcome if the one before said pending or lost its connection, and otherwise `duplicate_settlement` ' +
    'with the transaction, or the failure of the payment again. Every answer has this shape.',
  body: { name: 'X402FacilitatorRequest', schema: facilitatorRequest },
  responses: {
    200: { description: 'What came of it', schema: { name: 'X402SettleAnswer', schema: x402SettleAnswer } },
  },
  refusals: [],
  refusalShape: (code) => failed(code, 2, ''),
  async handle({ ports, metrics, traces }, { caller, traced, body, requestId, limited }) {
    const read = readFacilitatorRequest(body);
    if (!read.ok)
      return answerJson(failed('invalid_payment_header', read.version, read.network, { message: read.message }));
    const { payment, terms, network } = read;
    const settled = await settleForSeller(ports, { caller, payment, terms, requestId, limited });
    const { lease, payer } = settled;
    if (settled.outcome === 'refused' && settled.code === 'rate_limited')
      return { ok: false, code: settled.code, param: null };
    if (settled.outcome === 'refused' && settled.signed === true && payer !== undefined) ports.payerRefused(payer);
    metrics.settleAnswered(caller.mode, STATUSES[settled.outcome]);
    if ('claimed' in settled && settled.claimed) traces.paid(traced);
    return {
      ...answerJson(answerOf(settled, payment.version, network)),
      ...(lease && { answered: (arrived: boolean) => ports.noteAnswer(lease, arrived) }),
    };
  },
};

const STATUSES = { settled: 'succeeded', pending: 'processing', repeat: 'completed', refused: 'failed' } as const;

function answerOf(settled: SellerSettle, version: 1 | 2, network: string): X402SettleAnswer {
  const { payer, amount, transaction } = settled;
  const about = {
    transaction: transaction ?? '',
    network,
    ...(payer !== undefined && { payer }),
    ...(amount !== undefined && { amount }),
  };
  const { outcome } = settled;
  if (outcome === 'settled') return { success: true, ...about };
  if (outcome === 'refused') return { ...failed(settled.code, version, network, settled), ...about };
  return { success: false, ...UNSETTLED[outcome], ...about };
}

const UNSETTLED = {
  pending: {
    errorReason: SETTLEMENT_PENDING,
    errorMessage: 'The payment may be taken and has no result yet: send the same request again.',
  },
  repeat: {
    errorReason: DUPLICATE_SETTLEMENT,
    errorMessage: 'Another call has settled this payment, or is settling it: it pays for nothing else.',
  },
} as const;

/** Codes that leave open whether the payment was taken. */
const UNKNOWN: ReadonlySet<ErrorCode> = new Set(['internal_error', 'service_unavailable', 'idempotency_in_progress']);

function failed(
  code: ErrorCode,
  version: 1 | 2,
  network: string,
  { message }: { readonly message?: string | undefined } = {},
): X402SettleAnswer {
  return {
    success: false,
    errorReason: UNKNOWN.has(code) ? SETTLEMENT_PENDING : reasonOf(code, version, network, 'settle'),
    errorMessage: messageOf(code, message),
    transaction: '',
    // A stock client takes no empty name; before the body is read none is known.
    network: network === '' ? 'unknown' : network,
  };
}
