// Registers a payout on chain. Safe to repeat: equal terms under the same id succeed, other terms are refused.
import { type Address, encodeFunctionData, type Hex, isAddressEqual, zeroAddress } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { AdminClient } from './open-chain.ts';
import { type CallOutcome, sendCall } from './send-call.ts';

type PayoutSplit = { readonly to: Address; readonly bps: number };

export type OnChainPayoutTerms = {
  readonly payoutId: bigint;
  readonly merchant: Address;
  /** Platform fee in hundredths of a percent, at most 1000. */
  readonly feeBps: number;
  readonly splits: readonly PayoutSplit[];
};

export type SetPayoutOutcome =
  | { readonly ok: true; readonly transactionHash: Hex | null; readonly alreadyRegistered: boolean }
  | { readonly ok: false; readonly code: 'payout_differs' | 'payout_retired' | 'reverted'; readonly reason: string };

/** `chain` is the registrar's account. */
export async function setPayout(
  chain: AdminClient,
  processor: Address,
  terms: OnChainPayoutTerms,
): Promise<SetPayoutOutcome> {
  const [head, splits] = await chain.readContract({
    abi: paymentProcessorAbi,
    address: processor,
    functionName: 'payout',
    args: [terms.payoutId],
  });
  if (head.merchant !== zeroAddress) {
    if (head.offAt !== 0n) return { ok: false, code: 'payout_retired', reason: `it ends at second ${head.offAt}` };
    if (sameTerms(terms, head, splits)) return { ok: true, transactionHash: null, alreadyRegistered: true };
    return { ok: false, code: 'payout_differs', reason: 'terms of an id never change: use a new id' };
  }
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'registerPayout',
    args: [terms.payoutId, terms.merchant, terms.feeBps, terms.splits],
  });
  const sent = await sendCall(chain, { to: processor, data });
  if (!sent.ok) return { ok: false, code: sent.code, reason: sent.reason };
  return { ok: true, transactionHash: sent.transactionHash, alreadyRegistered: false };
}

/** Disables a payout after the processor's delay. `chain` is the registrar's account. */
export async function retirePayout(chain: AdminClient, processor: Address, payoutId: bigint): Promise<CallOutcome> {
  const data = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'retirePayout', args: [payoutId] });
  return sendCall(chain, { to: processor, data });
}

function sameTerms(
  terms: OnChainPayoutTerms,
  head: { merchant: Address; feeBps: number },
  splits: readonly PayoutSplit[],
): boolean {
  return (
    isAddressEqual(terms.merchant, head.merchant) &&
    terms.feeBps === head.feeBps &&
    terms.splits.length === splits.length &&
    terms.splits.every((split, index) => {
      const other = splits[index];
      return other !== undefined && isAddressEqual(split.to, other.to) && split.bps === other.bps;
    })
  );
}
