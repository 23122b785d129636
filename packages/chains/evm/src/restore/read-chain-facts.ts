// Facts read from the chain before the restore writes: that it is the right chain, and that no transaction is pending.
import { type ChainFacts, ChainUnavailable } from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { askNode, numberOf } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

/** Throws `ChainUnavailable` when the node belongs to another chain. */
export async function readChainFacts(rpc: JsonRpc, network: NetworkId, keys: readonly string[]): Promise<ChainFacts> {
  const count = (address: string, block: string) => ({ method: 'eth_getTransactionCount', params: [address, block] });
  const answers = await askNode(rpc, [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_blockNumber', params: [] },
    ...keys.flatMap((address) => [count(address, 'latest'), count(address, 'pending')]),
  ]);
  const [chainId, headBlock, ...counts] = answers.map(numberOf);
  if (chainId !== BigInt(chainIdOf(network) ?? 0))
    throw new ChainUnavailable(`the node of ${network} belongs to chain ${chainId}`);
  const at = (index: number) => counts[index] ?? 0n;
  return {
    headBlock: headBlock ?? 0n,
    counts: new Map(keys.map((address, index) => [address, at(2 * index)])),
    waiting: keys.filter((_, index) => at(2 * index + 1) > at(2 * index)),
  };
}
