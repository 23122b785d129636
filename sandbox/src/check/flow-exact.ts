import { SvcPayError } from '@svc-pay/sdk';
import { expectOf } from '../shop/shop-facts.ts';
import { insist, readTrail, requestFor, type Visit } from './visit.ts';

const PRICE_ATOMIC = 4_200_000n;
const CENT_ATOMIC = 10_000n;
const SETTLE_PATH = '/sdk/public/payments/x402/settle';

/** Order, sign, settle. The shop's verified webhook marks the order paid, and the timeline shows every step. */
export async function payExact(visit: Visit): Promise<void> {
  const { sandbox, untilOrderIs, until } = visit;
  const payer = await visit.payer(PRICE_ATOMIC);
  const order = await visit.order('tea');
  const { paymentIntentId, transactionId } = await payer.pay.createPayment(requestFor(sandbox, order));
  const paid = await untilOrderIs(order.id, 'paid');
  insist(paid.intentId === paymentIntentId, 'the order was paid by another intent');
  insist(paid.transactionId === transactionId, 'the webhook names another transaction');
  insist((await visit.balanceOf(payer)) === 0n, 'the payer was not charged the price');
  const { chain, merchantWallet } = sandbox.world;
  const wallet = (merchantWallet ?? '0x') as `0x${string}`;
  insist((await chain.balanceOf(chain.tokens.usdc, wallet)) >= PRICE_ATOMIC, 'the shop’s wallet was not paid');

  const wanted = ['intent', 'signature', 'batch', 'transaction', 'end', 'books', 'webhook'];
  await until('the timeline tells every step', async () => {
    const { steps } = await readTrail(sandbox, paymentIntentId);
    return wanted.every((kind) => steps.some((step) => step.kind === kind && step.tone === 'good'));
  });
  const legs = (await readTrail(sandbox, paymentIntentId)).steps.flatMap((step) => step.legs ?? []);
  insist(legs.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n) === 0n, 'the legs do not balance');
  insist(legs.length === 2, 'somebody besides payer and merchant has a leg');
}

/** A used header pays nothing more: neither its own intent again nor another one. */
export async function replayHeader(visit: Visit): Promise<void> {
  const { sandbox } = visit;
  const sent: string[] = [];
  const listening: typeof fetch = (input, init) => {
    if (typeof input === 'string' && input.endsWith(SETTLE_PATH) && typeof init?.body === 'string')
      sent.push(init.body);
    return fetch(input, init);
  };
  const payer = await visit.payer(2n * PRICE_ATOMIC, { fetch: listening });
  const order = await visit.order('tea');
  const { paymentIntentId } = await payer.pay.createPayment(requestFor(sandbox, order));
  const [first] = sent;
  insist(first !== undefined, 'no header was sent');

  const again = await settle(visit, first ?? '');
  insist(again['status'] === 'succeeded', `the same header again: ${JSON.stringify(again)}`);
  const other = await visit.server.intents.create({ amount: String(PRICE_ATOMIC), tokenShortcode: 'anvil_usdc' });
  insist(other.ok && other.paymentIntentId !== paymentIntentId, 'no other intent');
  if (!other.ok || other.kind !== 'payment_required') return;
  const moved = { ...(JSON.parse(first ?? '{}') as object), paymentIntentId: other.paymentIntentId };
  const [paymentRequirements] = other.paymentRequired.accepts;
  const refused = await settle(visit, JSON.stringify({ ...moved, paymentRequirements }));
  insist(refused['status'] === 'failed', `the header for another intent: ${JSON.stringify(refused)}`);
  insist((await visit.balanceOf(payer)) === PRICE_ATOMIC, 'the payer was charged twice');
}

/** A payer with too little money is told before signing, and a header signed anyway moves nothing. */
export async function refusePoor(visit: Visit): Promise<void> {
  const payer = await visit.payer(PRICE_ATOMIC - 1n);
  const order = await visit.order('tea');
  const refusal = await problemOf(payer.pay.createPayment(requestFor(visit.sandbox, order)));
  insist(refusal?.moneyMoved === 'no', `the poor payer heard ${refusal?.code ?? 'that it was paid'}`);
  insist((await visit.balanceOf(payer)) === PRICE_ATOMIC - 1n, 'the poor payer was charged');
}

/**
 * Only the service can tell the shop of a payment, and a payment of a cent with the order's id does not pay for tea.
 */
export async function refuseForgery(visit: Visit): Promise<void> {
  const { sandbox } = visit;
  const order = await visit.order('tea');
  const body = JSON.stringify({
    id: 'evt_forged',
    object: 'event',
    type: 'payment.completed',
    data: { order: order.id },
  });
  const nowSeconds = String(Math.floor(visit.clock.nowMs() / 1_000));
  const answer = await fetch(`${sandbox.shopUrl}/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_forged',
      'webhook-timestamp': nowSeconds,
      'webhook-signature': `v1,${btoa('x'.repeat(32))}`,
    },
    body,
  });
  insist(answer.status === 400, `a forged webhook was answered ${answer.status}`);

  const payer = await visit.payer(CENT_ATOMIC);
  const { paymentIntentId } = await payer.pay.createPayment({
    amount: String(CENT_ATOMIC),
    tokenShortcode: order.shown.tokenShortcode,
    metadata: { order: order.id },
    expect: expectOf(sandbox.facts, order.shown),
  });
  await visit.until('the shop has heard of the cent', async () => {
    const told = await visit.server.events.list({ intentId: paymentIntentId, type: 'payment.completed' });
    return told.ok && told.data.some(({ deliveries }) => deliveries.succeeded > 0);
  });
  await visit.untilOrderIs(order.id, 'open');
}

async function settle({ sandbox }: Visit, body: string): Promise<Record<string, unknown>> {
  const { baseUrl, publishableKey } = sandbox.facts;
  const response = await fetch(`${baseUrl}${SETTLE_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishableKey}`, 'content-type': 'application/json' },
    body,
  });
  return (await response.json()) as Record<string, unknown>;
}

export async function problemOf(work: Promise<unknown>): Promise<SvcPayError | undefined> {
  try {
    await work;
    return undefined;
  } catch (problem) {
    if (problem instanceof SvcPayError) return problem;
    throw problem;
  }
}
