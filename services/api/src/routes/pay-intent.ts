// The payable address of one intent, for clients that hold no API key: stock x402 of version 1 and version 2.
import { INTENT_STATUS, type Intent, isConfirmed, isPayable, PAYMENT_STATUS, settlePayment } from '@svc-pay/core';
import type { SettleStatus } from '@svc-pay/protocol';
import { PAYMENT_REQUIRED_HEADER, type PaidResponse, paidResponse, x402ChallengeV1 } from '@svc-pay/protocol/x402';
import { answerPayment, NO_STORE, refuseUnreadable } from '../buyer/answer-payment.ts';
import { loadChallenge, payPath } from '../buyer/challenge.ts';
import { readSubmittedX402 } from '../buyer/payment-headers.ts';
import { refusalPage } from '../checkout/refusal-page.ts';
import { showCheckout } from '../checkout/show-checkout.ts';
import type { IntentSituation } from '../ports.ts';
import type { RouteOutcome } from './outcome.ts';
import type { PayableCall, PayableRoute, World } from './route.ts';
import { statusViews } from './status-body.ts';

export const payIntent: PayableRoute = {
  operationId: 'payIntent',
  method: 'GET',
  path: '/pay/{intentId}',
  access: 'client_secret',
  refusalPage,
  summary: 'Pay an intent without a key',
  description:
    'The address in `X-SVC-Pay-Url` of a new intent’s 402, for published x402 clients of version 1 and version 2. Answers 402 ' +
    'with version 1’s body and version 2’s `PAYMENT-REQUIRED` while the intent may be paid. The same request with `X-PAYMENT` ' +
    'or `PAYMENT-SIGNATURE` settles it. The secret pays this one intent, and reads its outcome for 30 days. A client whose ' +
    '`Accept` names `application/xhtml+xml` and rates `text/html` above `application/json`, as browsers do, gets a checkout page ' +
    'with status 200 instead.',
  responses: {
    402: {
      description:
        'What may be signed, nothing where only the checkout page pays it; after a payment, why it was refused',
      schema: { name: 'X402ChallengeV1', schema: x402ChallengeV1 },
    },
    200: { description: 'The intent is paid', schema: { name: 'PaidResponse', schema: paidResponse } },
    202: {
      description: 'A payment is under way: ask here again, sign nothing more',
      schema: { name: 'PaidResponse', schema: paidResponse },
    },
    409: {
      description: 'The intent is canceled or expired, or paid otherwise',
      schema: { name: 'PaidResponse', schema: paidResponse },
    },
  },
  refusals: ['not_found', 'chain_unavailable'],
  async handle(world, call) {
    const { v1, v2 } = call.payments;
    if (v1 !== undefined || v2 !== undefined) return pay(world, call);
    return call.wantsPage ? showCheckout(world, call) : show(world, call);
  },
};

async function show(world: World, { caller, intentId, baseUrl }: PayableCall): Promise<RouteOutcome> {
  const { ports } = world;
  const read = await ports.loadSettlement(caller, intentId, null);
  if (read === undefined) return { ok: false, code: 'not_found', param: null };
  const { intent, latest } = read;
  const statusUrl = `${baseUrl()}${payPath(intentId)}`;
  const canBePaid = isPayable(intent, ports.clock.nowMs());
  // A confirmed cap is for the merchant to charge: nothing is to be signed any more.
  if (canBePaid && !isConfirmed(intent)) {
    const challenge = await loadChallenge(ports, caller, payable(intent, baseUrl()), baseUrl(), 'payment_required');
    if (challenge.header !== undefined) return say(402, challenge.v1, { [PAYMENT_REQUIRED_HEADER]: challenge.header });
    return say(402, { ...challenge.v1, error: NO_STOCK_WAY });
  }
  const status = canBePaid ? 'processing' : (SHOWN[intent.status] ?? 'failed');
  const code = status === 'completed' ? 200 : status === 'processing' ? 202 : 409;
  const shown: PaidResponse = {
    paymentIntentId: intentId,
    status,
    ...statusViews({ intent, payment: latest?.payment ?? null }, caller.kind),
    transactionId: latest?.payment.transactionId ?? null,
    statusUrl,
    ...(status === 'failed' && { error: 'intent_not_payable' }),
  };
  return say(code, shown);
}

/** The checkout page may still pay it: an up-to cap, or a token that stock clients can't sign. */
const NO_STOCK_WAY = 'x402_not_available_for_token';

const SHOWN: Readonly<Partial<Record<IntentSituation['intent']['status'], SettleStatus>>> = {
  [INTENT_STATUS.completed]: 'completed',
  [INTENT_STATUS.processing]: 'processing',
  [INTENT_STATUS.mismatched]: 'mismatched',
};

const say = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): RouteOutcome => ({
  ok: true,
  answer: { status, headers: { ...NO_STORE, ...headers }, body: JSON.stringify(body) },
  replayed: false,
});

async function pay(world: World, call: PayableCall): Promise<RouteOutcome> {
  const { ports, metrics, traces } = world;
  const { caller, intentId, traced, limited, baseUrl } = call;
  const submitted = readSubmittedX402(call.payments);
  if (!submitted.ok) return refuseUnreadable(submitted);
  const encoded = { encodedHeader: submitted.encoded, echo: null };
  const settled = await settlePayment(ports, { caller, intentId, encoded, claim: null, limited });
  if (!settled.ok) return { ...settled, param: null };
  metrics.settleAnswered(caller.mode, settled.response.status);
  if (settled.claimed && settled.response.status !== PAYMENT_STATUS.failed) traces.paid(traced);
  return answerPayment(world, {
    intentId,
    submitted,
    reply: settled,
    statusUrl: `${baseUrl()}${payPath(intentId)}`,
    challenge: async (reason) => {
      const situation = await ports.loadStatus(caller, intentId);
      return situation && loadChallenge(ports, caller, payable(situation.intent, baseUrl()), baseUrl(), reason);
    },
    body402: (_, { v1 }) => v1,
  });
}

/** What is bought here is this address, without its secret: a careful client pays no host for a resource of another one. */
const payable = (intent: Intent, baseUrl: string) => ({ ...intent, resource: `${baseUrl}${payPath(intent.id)}` });
