import { ledgerBalanceOf } from '../wallet/ask-token-ledger.ts';
import { newIcpKey } from '../wallet/icp-key.ts';
import { payerOnIcp } from '../wallet/pay-on-icp.ts';
import { problemOf } from './flow-exact.ts';
import { insist, readTrail, requestFor, type Visit } from './visit.ts';

const PRICE_ATOMIC = 3_100_000n;
const FEE_ATOMIC = 10_000n;

/**
 * A payer first declines, and nothing moves; then pays by one transfer. The webhook and the timeline report the payment, with
 * the ledger's block and without a batch.
 */
export async function payOnIcp(visit: Visit): Promise<void> {
  const { sandbox, clock, until, untilOrderIs } = visit;
  const { icp } = sandbox.world;
  if (icp === undefined) throw new Error('the sandbox has no Internet Computer');
  const key = newIcpKey();
  await icp.fund(key.principal, PRICE_ATOMIC + FEE_ATOMIC);
  const balance = () => ledgerBalanceOf({ ...icp, nowMs: clock.nowMs }, key.principal);
  await until('the ledger is read', async () => (await visit.post('/orders', { item: 'honey' })).status === 201);
  const order = await visit.order('honey');
  const request = requestFor(sandbox, order);

  const refusing = payerOnIcp(sandbox.facts, key, clock, async () => false);
  const refusal = await problemOf(refusing.createPayment(request));
  insist(refusal?.isUserCancelled() === true, `saying no was heard as ${refusal?.code ?? 'yes'}`);
  insist((await balance()) === PRICE_ATOMIC + FEE_ATOMIC, 'a payer who said no was charged');

  const payer = () => payerOnIcp(sandbox.facts, key, clock);
  const { paymentIntentId, transactionId } = await payer().createPayment(request);
  insist(transactionId?.startsWith(`${icp.ledger}:`) === true, `${transactionId} is no block of the ledger`);
  const paid = await untilOrderIs(order.id, 'paid');
  insist(paid.transactionId === transactionId, 'the webhook names another transaction');
  insist((await balance()) === 0n, 'the payer was not charged the price and the ledger’s fee');

  const again = await payer().createPayment(request);
  insist(again.transactionId === transactionId, 'a paid order was paid by another block');
  const second = requestFor(sandbox, await visit.order('honey'));
  const poor = await problemOf(payer().createPayment(second));
  insist(poor?.code === 'insufficient_funds', `a wallet without money heard ${poor?.code ?? 'that it was paid'}`);

  const wanted = ['intent', 'transaction', 'end', 'books', 'webhook'];
  await until('the timeline tells every step', async () => {
    const { steps } = await readTrail(sandbox, paymentIntentId);
    return wanted.every((kind) => steps.some((step) => step.kind === kind && step.tone === 'good'));
  });
  const { steps } = await readTrail(sandbox, paymentIntentId);
  insist(!steps.some(({ kind }) => kind === 'batch' || kind === 'signature'), 'the timeline tells of a batch');
  insist(steps.flatMap(({ legs = [] }) => legs).length === 2, 'somebody besides payer and merchant has a leg');
}
