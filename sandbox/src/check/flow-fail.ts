import { CAP_ATOMIC, openTab } from './flow-upto.ts';
import { insist, type Visit } from './visit.ts';

/** The wallet is emptied after signing: the payment fails with a reason, and nothing moves. */
export async function failPayment(visit: Visit): Promise<void> {
  const { chain } = visit.sandbox.world;
  const payer = await visit.payer(CAP_ATOMIC);
  const { id, intentId } = await openTab(visit, payer);
  await visit.post(`/orders/${id}/lines`);
  await chain.emptyWallet(chain.tokens.usdc, payer.key.account.address);
  await visit.post(`/orders/${id}/close`);
  await visit.untilOrderIs(id, 'failed');
  const paymentIntentId = intentId ?? '';
  await visit.until('payment.failed reached the shop', async () => {
    const told = await visit.server.events.list({ intentId: paymentIntentId, type: 'payment.failed' });
    return told.ok && told.data.some(({ deliveries }) => deliveries.succeeded > 0);
  });
  insist((await visit.balanceOf(payer)) === 0n, 'an emptied wallet was paid back');
}
