import type { OrderView } from '../shop/order.ts';
import type { NodePayer } from '../wallet/pay-in-node.ts';
import { insist, requestFor, type Visit } from './visit.ts';

export const CAP_ATOMIC = 1_000_000n;
const LINE_ATOMIC = 50_000n;

/** Signs the cap; resolves when the shop has received the event. */
export async function openTab(visit: Visit, payer: NodePayer): Promise<OrderView> {
  const order = await visit.order('verse');
  await payer.pay.createUptoAuthorization(requestFor(visit.sandbox, order));
  return visit.untilOrderIs(order.id, 'authorized');
}

/** Nothing is served before the signature. Afterwards the lines read are charged once, and the payer keeps the rest. */
export async function payMetered(visit: Visit): Promise<void> {
  const payer = await visit.payer(CAP_ATOMIC);
  const unsigned = await visit.order('verse');
  const early = await visit.post(`/orders/${unsigned.id}/lines`);
  insist(early.status === 402, `a line without a signature: ${early.status}`);

  const { id } = await openTab(visit, payer);
  for (let read = 0; read < 7; read += 1) await visit.post(`/orders/${id}/lines`);
  for (let times = 0; times < 2; times += 1) {
    const closed = await visit.post(`/orders/${id}/close`);
    insist(closed.status === 200, `closing answered ${closed.status}: ${JSON.stringify(closed.body)}`);
  }
  const paid = await visit.untilOrderIs(id, 'paid');
  insist(paid.chargedAtomic === String(7n * LINE_ATOMIC), `charged ${paid.chargedAtomic}`);
  insist(paid.returnedAtomic === String(CAP_ATOMIC - 7n * LINE_ATOMIC), `returned ${paid.returnedAtomic}`);
  insist((await visit.balanceOf(payer)) === CAP_ATOMIC - 7n * LINE_ATOMIC, 'the payer has not got the rest');
}

/** The shop serves no more than the cap pays for, and the service never charges more than the cap. */
export async function refuseOverCap(visit: Visit): Promise<void> {
  const payer = await visit.payer(2n * CAP_ATOMIC);
  const { id, intentId } = await openTab(visit, payer);
  const lines = CAP_ATOMIC / LINE_ATOMIC;
  for (let read = 0n; read < lines; read += 1n) {
    const served = await visit.post(`/orders/${id}/lines`);
    insist(served.status === 200, `line ${read + 1n} was answered ${served.status}`);
  }
  const more = await visit.post(`/orders/${id}/lines`);
  insist(more.status === 402, `a line above the cap was answered ${more.status}`);

  const settledAmount = String(CAP_ATOMIC + 1n);
  const refused = await visit.server.upto.settle({ paymentIntentId: intentId ?? '', settledAmount });
  insist(!refused.ok && refused.code === 'settled_amount_out_of_range', 'one unit above the cap was taken');
  await visit.post(`/orders/${id}/close`);
  await visit.untilOrderIs(id, 'paid');
  insist((await visit.balanceOf(payer)) === CAP_ATOMIC, 'the payer was not charged the cap');
}
