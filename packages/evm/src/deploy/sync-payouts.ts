// Mirrors the payout registry from its events. The caller stores what comes back and continues at `nextBlock`; reading
// a range again yields the same changes, so a crash between reading and storing costs nothing.
import type { Address, Hex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { ChainAccount } from './open-chain.ts';
import type { PayoutTerms } from './set-payout.ts';

export type PayoutChange = {
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
  readonly logIndex: number;
} & (
  | { readonly kind: 'registered'; readonly terms: PayoutTerms }
  | { readonly kind: 'retired'; readonly payoutId: bigint; readonly offAtSeconds: bigint }
);

export type PayoutSync = {
  /** In the order of the chain. */
  readonly changes: readonly PayoutChange[];
  /** Where the next call starts. */
  readonly nextBlock: bigint;
};

/** Many nodes answer no more blocks than this at once. */
const BLOCKS_PER_QUERY = 2_000n;

/** `toBlock` is the caller's idea of finality: blocks up to it must not be reorganised any more. */
export async function syncPayouts(
  chain: Pick<ChainAccount, 'getContractEvents'>,
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
