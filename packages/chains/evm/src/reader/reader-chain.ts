// The nodes of an EVM network for the chain reader, over a pool of their own: a catch-up with large answers is slow, and
// must not suspend the endpoints that lanes use.
import { findChain, type ReaderChain } from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { EvmNetworkSetup } from '../send/open-networks.ts';
import { createLogPost } from './post-log-calls.ts';
import { createReaderNode } from './reader-node.ts';

/** Some 12,000 logs, or the receipt of a transaction that fills a block with logs. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

type ReaderOptions = {
  readonly timeoutMs: number;
  /** Counts the calls to nodes. */
  readonly onCalls?: (network: NetworkId, calls: number) => void;
};

/** Opens the networks that have RPC URLs. */
export function openReaderChains(
  setups: readonly (readonly [NetworkId, Pick<EvmNetworkSetup, 'rpcUrls'>])[],
  { timeoutMs, onCalls }: ReaderOptions,
): readonly ReaderChain[] {
  return setups.flatMap(([network, { rpcUrls }]): ReaderChain[] => {
    const [first, ...others] = rpcUrls ?? [];
    const chainId = chainIdOf(network);
    if (first === undefined || chainId === undefined || findChain(network) === undefined) return [];
    const pool = createEndpointPool({
      urls: [first, ...others],
      timeoutMs,
      chainId,
      // A range that takes too long is asked for in halves; the endpoint is not suspended for it.
      patienceMs: 2 * timeoutMs,
      post: createLogPost(MAX_ANSWER_BYTES),
    });
    const counted =
      (rpc: JsonRpc): JsonRpc =>
      (calls) => {
        onCalls?.(network, calls.length);
        return rpc(calls);
      };
    const nodes = async () => (await pool.healthyEndpoints()).map((rpc) => createReaderNode(counted(rpc)));
    return [{ network, nodes }];
  });
}
