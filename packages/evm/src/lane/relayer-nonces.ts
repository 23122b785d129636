// Where a relayer's nonces stand, asked of every endpoint in good standing.
import { ChainUnavailable, type FlyingBatch, type NonceRange } from '@svc-pay/core';
import type { Address } from 'viem';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { votesOf } from '../rpc/votes-of.ts';
import { quantityOf, resultOf } from './ask-chain.ts';
import { readReceipt } from './read-receipt.ts';

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
 * Batches whose nonce lies below that of the finalized block at every node that answers, while none of these has a receipt
 * of any of their transactions. A node that cannot tell what is final says nothing, and then nothing is replaced.
 */
export async function findReplaced(
  voters: readonly JsonRpc[],
  address: Address,
  batches: readonly FlyingBatch[],
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
