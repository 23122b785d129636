// Finds all terms of a payment's transaction from the acceptance and the parties.
import type { Caller, StoredAcceptance, TransferStores } from '@svc-pay/core';
import { payoutTerms } from '@svc-pay/money';
import type { Id } from '@svc-pay/protocol/ids';
import { legsOf } from './legs.ts';
import type { Cluster } from './open-clusters.ts';
import type { TransferTerms } from './transfer-terms.ts';

export type TermsQuestion = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly acceptance: Pick<StoredAcceptance, 'network' | 'token' | 'payTo' | 'amount' | 'payoutId'>;
  readonly payer: string;
  readonly relayer: string;
  /** The fee recipient of the prepared transaction; the network's own if absent. */
  readonly feeRecipient?: string;
};

export type FoundTerms = { readonly terms: TransferTerms; readonly feeRecipient: string };

/** Undefined when the payout is gone, or the mint is not accepted. */
export async function findTerms(
  stores: TransferStores,
  cluster: Cluster,
  question: TermsQuestion,
): Promise<FoundTerms | undefined> {
  const { caller, intentId, acceptance, payer, relayer } = question;
  const { network, payoutId, payTo, token, amount } = acceptance;
  const wanted = question.feeRecipient ?? cluster.feeAccount;
  const [payout, mint] = await Promise.all([
    stores.loadStoredPayout(caller, { network, payoutId, merchant: payTo, feeRecipient: wanted }),
    cluster.mintOf(token.address),
  ]);
  const read = payout && payoutTerms(payout);
  if (payout === undefined || mint === undefined || read?.ok !== true) return undefined;
  const { merchant, feeRecipient } = payout;
  const legs = legsOf(amount, { merchant, feeRecipient, terms: read.terms });
  return { feeRecipient, terms: { intentId, payer, relayer, mint: token.address, ...mint, legs } };
}
