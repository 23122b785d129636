import { lamportsOf, tokenBalanceOf } from '../wallet/ask-solana.ts';
import { payerOnSolana } from '../wallet/pay-on-solana.ts';
import { newSolanaKey } from '../wallet/solana-key.ts';
import { problemOf } from './flow-exact.ts';
import { insist, readTrail, requestFor, type Visit } from './visit.ts';

const PRICE_ATOMIC = 2_500_000n;

/**
 * A payer without SOL first declines, and nothing moves; then pays. The webhook and the timeline report the payment.
 */
export async function payOnSolana(visit: Visit): Promise<void> {
  const { sandbox, until, untilOrderIs } = visit;
  const { solana } = sandbox.world;
  // This machine cannot run the Solana chain, so the shop sells nothing on it.
  if (solana === undefined) return;
  const key = newSolanaKey();
  await solana.fundToken(key.address, PRICE_ATOMIC);
  const balance = () => tokenBalanceOf(solana.rpcUrl, key.address, solana.usdc);
  const order = await visit.order('biscuits');
  const request = requestFor(sandbox, order);

  const refusal = await problemOf(payerOnSolana(sandbox.facts, key, async () => false).createPayment(request));
  insist(refusal?.isUserCancelled() === true, `saying no was heard as ${refusal?.code ?? 'yes'}`);
  insist((await balance()) === PRICE_ATOMIC, 'a payer who said no was charged');

  const { paymentIntentId, transactionId } = await payerOnSolana(sandbox.facts, key).createPayment(request);
  const paid = await untilOrderIs(order.id, 'paid');
  insist(paid.transactionId === transactionId, 'the webhook names another transaction');
  insist((await balance()) === 0n, 'the payer was not charged the price');
  insist((await lamportsOf(solana.rpcUrl, key.address)) === 0n, 'the payer had SOL');

  const again = await payerOnSolana(sandbox.facts, key).createPayment(request);
  insist(again.transactionId === transactionId, 'a paid order was paid by another transaction');

  const second = requestFor(sandbox, await visit.order('biscuits'));
  const poor = await problemOf(payerOnSolana(sandbox.facts, key).createPayment(second));
  insist(poor?.code === 'insufficient_funds', `a wallet without money heard ${poor?.code ?? 'that it was paid'}`);

  const wanted = ['intent', 'signature', 'batch', 'transaction', 'end', 'books', 'webhook'];
  await until('the timeline tells every step', async () => {
    const { steps } = await readTrail(sandbox, paymentIntentId);
    return wanted.every((kind) => steps.some((step) => step.kind === kind && step.tone === 'good'));
  });
}
