// Finds a transaction that left no log because it reverted: it lies in the block in which its sender's transaction
// count passed its nonce. A binary search keeps the number of calls low.
import { type BlockRange, ChainUnavailable } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { askChain, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

/** Throws `ChainUnavailable` when the node has no state of that time, or has the transaction in none of the blocks. */
export async function findByNonce(
  rpc: JsonRpc,
  sender: string,
  nonce: bigint,
  { fromBlock, toBlock }: BlockRange,
): Promise<string> {
  let [low, high] = [fromBlock, toBlock];
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await countAt(rpc, sender, middle)) > nonce) high = middle;
    else low = middle + 1n;
  }
  const [answer] = await askChain(rpc, [{ method: 'eth_getBlockByNumber', params: [numberToHex(low), true] }]);
  const transactions = fieldOf(resultOf(answer), 'transactions');
  const found = (Array.isArray(transactions) ? transactions : []).find(
    (transaction: unknown) =>
      String(fieldOf(transaction, 'from')).toLowerCase() === sender &&
      quantityOf(fieldOf(transaction, 'nonce')) === nonce,
  );
  const id = fieldOf(found, 'hash');
  if (typeof id !== 'string')
    throw new ChainUnavailable(`nonce ${nonce} of ${sender} is in no block that the node has`);
  return id.toLowerCase();
}

/** Transaction count of `sender` at a block. */
export async function countAt(rpc: JsonRpc, sender: string, block: bigint): Promise<bigint> {
  const [answer] = await askChain(rpc, [{ method: 'eth_getTransactionCount', params: [sender, numberToHex(block)] }]);
  return quantityOf(resultOf(answer));
}
