// A transaction that left no log, because it was undone as a whole: the block in which its sender's count of transactions
// went past its nonce has it. Asked by halves, so that few blocks are looked at.
import { ChainUnavailable } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { askChain, fieldOf, quantityOf, resultOf } from '../lane/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { BlockRange } from './find-sent.ts';

/** Throws `ChainUnavailable` when the node does not remember the blocks of that time, or has it in none of them. */
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

/** Transactions of `sender` up to a block. */
export async function countAt(rpc: JsonRpc, sender: string, block: bigint): Promise<bigint> {
  const [answer] = await askChain(rpc, [{ method: 'eth_getTransactionCount', params: [sender, numberToHex(block)] }]);
  return quantityOf(resultOf(answer));
}
