import { problemOf } from './flow-exact.ts';
import { CAP_ATOMIC, openTab } from './flow-upto.ts';
import { insist, requestFor, type Visit } from './visit.ts';

/** An unused tab is released: nothing is charged, and nothing can be charged later. */
export async function cancelTab(visit: Visit): Promise<void> {
  const { server } = visit;
  const payer = await visit.payer(CAP_ATOMIC);
  const { id, intentId } = await openTab(visit, payer);
  await visit.post(`/orders/${id}/close`);
  await visit.untilOrderIs(id, 'canceled');
  const late = await server.upto.settle({ paymentIntentId: intentId ?? '', settledAmount: '1' });
  insist(!late.ok || late.settlement.status === 'failed', 'a tab that was let go was charged');
  insist((await visit.balanceOf(payer)) === CAP_ATOMIC, 'a payer was charged for nothing');

  const created = await server.intents.create({ amount: '1000', tokenShortcode: 'anvil_usdc' });
  insist(created.ok, 'no intent to cancel');
  if (!created.ok) return;
  const canceled = await server.intents.cancel(created.paymentIntentId);
  insist(canceled.ok && canceled.situation.paymentIntent.status === 'canceled', 'the intent is not canceled');
}

/** A payer who declines in the wallet pays nothing, and can still pay later. */
export async function sayNo(visit: Visit): Promise<void> {
  const payer = await visit.payer(5_000_000n, { confirm: async () => false });
  const order = await visit.order('tea');
  const refusal = await problemOf(payer.pay.createPayment(requestFor(visit.sandbox, order)));
  insist(refusal?.isUserCancelled() === true, `saying no was heard as ${refusal?.code ?? 'yes'}`);
  await visit.untilOrderIs(order.id, 'open');
  insist((await visit.balanceOf(payer)) === 5_000_000n, 'a payer who said no was charged');
}
