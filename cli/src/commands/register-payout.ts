// Registrar's part of setting a payout: registers the terms on chain, then marks the row as registered.
import { PAYOUT_STATUS, type Payout } from '@svc-pay/core';
import { setPayout as registerOnChain } from '@svc-pay/evm';
import { mirrorPayout, type Operation } from '@svc-pay/postgres/operator';
import { openChainAccount } from '../chain/open-account.ts';
import { type Failure, failed } from '../output/outcome.ts';

export type Registered =
  | { readonly ok: true; readonly transactionHash: string | null }
  | { readonly ok: false; readonly failure: Failure };

/** Safe to repeat after a failure: terms that are already registered are only mirrored. */
export async function registerPayout(
  operation: Operation,
  payout: Payout,
  node: { readonly rpcUrl: string; readonly keyFile: string },
): Promise<Registered> {
  const opened = await openChainAccount(node.rpcUrl, node.keyFile);
  if (!opened.ok) return opened;
  const { chain } = opened;
  if (payout.network !== `eip155:${chain.chain.id}`) {
    return {
      ok: false,
      failure: failed('wrong_chain', `The node at SVC_RPC_URL is of chain ${chain.chain.id}, not ${payout.network}.`),
    };
  }
  const address = (text: string) => text as `0x${string}`;
  const set = await registerOnChain(chain, address(payout.processor), {
    payoutId: BigInt(payout.payoutId),
    merchant: address(payout.merchant),
    feeBps: payout.feeBps,
    splits: payout.splits.map(({ to, bps }) => ({ to: address(to), bps })),
  });
  if (!set.ok) {
    const advice = 'The row stays pending; mend it and run the same command again.';
    return { ok: false, failure: failed(set.code, `The registrar’s transaction failed: ${set.reason}`, advice) };
  }
  const mirrored = await mirrorPayout(operation, {
    network: payout.network,
    processor: payout.processor,
    payoutId: BigInt(payout.payoutId),
    status: PAYOUT_STATUS.active,
    transactionId: set.transactionHash,
  });
  if (mirrored === 'unknown' || mirrored === 'differs') {
    const message = `It is registered, but its row is ${mirrored === 'unknown' ? 'gone' : 'another one now'}.`;
    return {
      ok: false,
      failure: failed('payout_changed_meanwhile', message, 'Look at `payouts list` and `payouts sync`.'),
    };
  }
  return { ok: true, transactionHash: set.transactionHash };
}
