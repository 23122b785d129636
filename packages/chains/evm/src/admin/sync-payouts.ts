// Mirrors the payout registry from its events. The caller stores the changes and continues at `nextBlock`. Reading a
// range again returns the same changes, so a crash between reading and storing loses nothing.
import type { Address, Hex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { AdminClient } from './open-chain.ts';
import type { OnChainPayoutTerms } from './set-payout.ts';

export type PayoutChange = {
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
  readonly logIndex: number;
} & (
  | { readonly kind: 'registered'; readonly terms: OnChainPayoutTerms }
  | { readonly kind: 'retired'; readonly payoutId: bigint; readonly offAtSeconds: bigint }
);

export type PayoutSync = {
  /** In chain order. */
  readonly changes: readonly PayoutChange[];
  /** First block of the next call. */
  readonly nextBlock: bigint;
};

/** Many nodes refuse to answer a larger range of blocks in one query. */
const BLOCKS_PER_QUERY = 2_000n;

/** `toBlock` is final in the caller's view: blocks up to it must not be reorganised any more. */
export async function syncPayouts(
  chain: Pick<AdminClient, 'getContractEvents'>,
  processor: Address,
  range: { readonly fromBlock: bigint; readonly toBlock: bigint },
): Promise<PayoutSync> {
  const changes: PayoutChange[] = [];
  for (let start = range.fromBlock; start <= range.toBlock; start += BLOCKS_PER_QUERY) {
    const end = start + BLOCKS_PER_QUERY - 1n;
    const logs = await chain.getContractEvents({
      abi: paymentProcessorAbi,
      address: processor,
      fromBlock: start,
      toBlock: end < range.toBlock ? end : range.toBlock,
      strict: true,
    });
    for (const log of logs) {
      const { blockNumber, transactionHash, logIndex } = log;
      const place = { blockNumber, transactionHash, logIndex };
      if (log.eventName === 'PayoutRegistered') {
        changes.push({ ...place, kind: 'registered', terms: log.args });
      } else if (log.eventName === 'PayoutRetired') {
        changes.push({ ...place, kind: 'retired', payoutId: log.args.payoutId, offAtSeconds: log.args.offAt });
      }
    }
  }
  const nextBlock = range.toBlock + 1n;
  return { changes, nextBlock: nextBlock > range.fromBlock ? nextBlock : range.fromBlock };
}
