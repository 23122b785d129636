// Payout of the development account: a fee, one split, and throw-away recipients. Safe to repeat: an existing
// registration is kept, and on a new chain the payout is registered again under the same id.
import { PAYOUT_STATUS } from '@svc-pay/core';
import type { LocalChain } from '@svc-pay/evm/local';
import { payoutTerms } from '@svc-pay/money';
import { mirrorPayout, type Operation, setPayout } from '@svc-pay/postgres/operator';
import { evmNetwork } from '@svc-pay/protocol';

export const DEV_PAYOUT = {
  merchant: '0x5fc0000000000000000000000000000000000403',
  feeBps: 100,
  splits: [{ to: '0x5fc0000000000000000000000000000000000404', bps: 1_000 }],
} as const;

export async function registerDevPayout(operation: Operation, accountId: string, chain: LocalChain): Promise<void> {
  const { merchant, feeBps, splits } = DEV_PAYOUT;
  const terms = payoutTerms({ feeBps, splits });
  if (!terms.ok) throw new Error(`the development payout is not usable: ${terms.code}`);
  const network = evmNetwork(chain.chainId);
  const processor = chain.record.processor.toLowerCase();
  const request = { accountId, mode: 'test', network, processor, merchant, terms: terms.terms } as const;
  const set = await setPayout(operation, { ...request, status: PAYOUT_STATUS.pending });
  if (!set.ok) throw new Error(`the development account can't have its payout: ${set.code}; start with --fresh`);

  const payoutId = BigInt(set.payout.payoutId);
  const registered = await chain.registerPayout({ payoutId, merchant, feeBps, splits });
  if (!registered.ok) throw new Error(`the payout can't be registered: ${registered.reason}; start with --fresh`);
  const { transactionHash: transactionId } = registered;
  const status = PAYOUT_STATUS.active;
  const mirrored = await mirrorPayout(operation, { network, processor, payoutId, status, transactionId });
  if (mirrored === 'unknown' || mirrored === 'differs') throw new Error(`the payout's row is ${mirrored}`);
}
