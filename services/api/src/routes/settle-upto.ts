import { readSettledAmount, settleUpto as settle } from '@svc-pay/core';
import { uptoSettleRequest, uptoSettleResponse } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { isId } from '@svc-pay/protocol/ids';
import { answerJson } from './answer-json.ts';
import { malformed } from './read-body.ts';
import type { KeyedRoute } from './route.ts';

export const settleUpto: KeyedRoute = {
  operationId: 'settleUpto',
  method: 'POST',
  path: '/sdk/payments/x402/upto/settle',
  access: 'secret',
  scope: 'charge',
  quota: 'settles',
  accountRequired: true,
  sparesClaimed: true,
  ignoresUnknownFields: true,
  summary: 'Settle an up-to payment',
  description:
    'Charges the final amount, above 0 and at most the signed cap; what is left of the cap goes back to the payer in the ' +
    'same transaction. Dollars are converted at the rate of the intent, rounded down. Waits a bounded time for the result. ' +
    'The same amount again answers how it stands now; another amount is refused. A header is needed only when none was ' +
    'confirmed. An idempotency key stands for its request, but no answer is kept under it.',
  body: { name: 'UptoSettleRequest', schema: uptoSettleRequest },
  responses: {
    200: {
      description: 'How the settlement stands',
      schema: { name: 'UptoSettleResponse', schema: uptoSettleResponse },
    },
  },
  refusals: [
    'not_found',
    'invalid_amount',
    'settled_amount_required',
    'settled_amount_out_of_range',
    'not_an_upto_intent',
    'upto_not_confirmed',
    'upto_already_confirmed',
    'upto_already_settled',
    'x402_upto_not_available',
    'chain_unavailable',
  ],
  async handle({ ports, metrics }, { caller, body, claim, requestId, limited }) {
    const request = uptoSettleRequest.safeParse(body);
    if (!request.success) return malformed(request.error, body, uptoSettleRequest);
    const { paymentIntentId: intentId, paymentHeader } = request.data;
    const amount = readSettledAmount(request.data);
    if (!amount.ok) return amount;
    if (!isId('paymentIntent', intentId))
      return { ok: false, code: limited ? 'rate_limited' : 'not_found', param: null };
    const encodedHeader = paymentHeader ?? null;
    const settled = await settle(ports, {
      caller,
      intentId,
      asked: amount.asked,
      encodedHeader,
      requestId,
      claim,
      limited,
    });
    if (!settled.ok) return { ...settled, param: PARAMS[settled.code] ?? null };
    metrics.settleAnswered(caller.mode, settled.response.status);
    return { ...answerJson(settled.response), replayed: settled.replayed && claim !== null };
  },
};

const PARAMS: Partial<Record<ErrorCode, string>> = {
  idempotency_key_reused: 'Idempotency-Key',
  settled_amount_out_of_range: 'settledAmount',
  upto_already_settled: 'settledAmount',
  upto_already_confirmed: 'paymentHeader',
  upto_not_confirmed: 'paymentHeader',
};
