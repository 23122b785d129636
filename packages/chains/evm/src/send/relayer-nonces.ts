// Reads a relayer's nonces from every healthy endpoint.
import { ChainUnavailable, type NonceRange, type PendingBatch } from '@svc-pay/core';
import type { Address } from 'viem';
import { quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { readReceipt } from '../rpc/read-receipt.ts';
import { votesOf } from '../rpc/votes-of.ts';

const askCount = (address: Address, block: 'latest' | 'finalized'): RpcCall => ({
  method: 'eth_getTransactionCount',
  params: [address, block],
});

export async function readNonceRange(
  voters: readonly JsonRpc[],
  address: Address,
  patienceMs: number,
): Promise<NonceRange> {
  const votes = await votesOf(
    voters.map(async (rpc) => quantityOf(resultOf((await rpc([askCount(address, 'latest')]))[0]))),
    patienceMs,
  );
  const [first] = votes;
  if (first === undefined) throw new ChainUnavailable('no node tells the nonce');
  return {
    lowest: votes.reduce((one, other) => (one < other ? one : other), first),
    highest: votes.reduce((one, other) => (one > other ? one : other), first),
  };
}

/**
 * Batches whose nonce is below the finalized nonce at every node that answers, while none of these nodes has a receipt
 * of any of their transactions. A node that does not know the finalized block has no vote; without a vote no batch
 * counts as replaced.
 */
export async function findReplaced(
  voters: readonly JsonRpc[],
  address: Address,
  batches: readonly PendingBatch[],
  patienceMs: number,
): Promise<readonly string[]> {
  const transactions = batches.flatMap((batch) =>
    batch.transactions.map(({ transactionId }) => ({ batch, transactionId })),
  );
  const calls: readonly RpcCall[] = [
    askCount(address, 'finalized'),
    ...transactions.map(({ transactionId }) => ({ method: 'eth_getTransactionReceipt', params: [transactionId] })),
  ];
  const votes = await votesOf(
    voters.map(async (rpc) => {
      const [count, ...receipts] = await rpc(calls);
      const finalNonce = quantityOf(resultOf(count));
      const known = new Set(
        transactions
          .filter((_, index) => readReceipt(resultOf(receipts[index])) !== undefined)
          .map(({ batch }) => batch),
      );
      return batches.filter((batch) => batch.nonce < finalNonce && !known.has(batch)).map(({ id }) => id);
    }),
    patienceMs,
  );
  const [first = [], ...others] = votes;
  return first.filter((id) => others.every((vote) => vote.includes(id)));
}
