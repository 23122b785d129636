// Facts read from the chain before the restore writes: that it is the right chain, and that no transaction is pending.
import { type JsonRpc, NodeRefused } from '@svc-pay/evm';

export type ChainFacts = {
  readonly chainId: bigint;
  readonly headBlock: bigint;
  /** Number of mined transactions per key. */
  readonly counts: ReadonlyMap<string, bigint>;
  /** Keys with transactions that are in the nodes' pool but in no block. */
  readonly waiting: readonly string[];
};

export async function readChainFacts(rpc: JsonRpc, keys: readonly string[]): Promise<ChainFacts> {
  const count = (address: string, block: string) => ({ method: 'eth_getTransactionCount', params: [address, block] });
  const answers = await rpc([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_blockNumber', params: [] },
    ...keys.flatMap((address) => [count(address, 'latest'), count(address, 'pending')]),
  ]);
  const [chainId, headBlock, ...counts] = answers.map((answer) => {
    if (!answer.ok || typeof answer.result !== 'string')
      throw new NodeRefused('the node refuses to say where it stands');
    return BigInt(answer.result);
  });
  if (chainId === undefined || headBlock === undefined) throw new NodeRefused('the node does not say where it stands');
  const at = (place: number) => counts[place] ?? 0n;
  return {
    chainId,
    headBlock,
    counts: new Map(keys.map((address, index) => [address, at(2 * index)])),
    waiting: keys.filter((_, index) => at(2 * index + 1) > at(2 * index)),
  };
}
