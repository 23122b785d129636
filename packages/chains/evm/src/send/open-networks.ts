// Opens the EVM networks on which this process settles, with their RPC endpoints.
import { findChain, gasCoinRate, type Mode, type WatchLog } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { requireEndpointQuorum } from '../rpc/require-endpoint-quorum.ts';
import { DEFAULT_TIP_BOUNDS, type FeeBounds } from './transaction-fees.ts';

export type OpenNetwork = {
  readonly network: NetworkId;
  readonly mode: Mode;
  readonly processor: string;
  readonly processorVersion: string;
  /** Reads from healthy endpoints; calls that decide a payment's result need a quorum. */
  readonly rpc: JsonRpc;
  /** Every endpoint by itself. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  /** The healthy endpoints. */
  readonly voters: () => Promise<readonly JsonRpc[]>;
  readonly feeBounds: FeeBounds;
  readonly gasCoin: Rate | undefined;
  /** Seconds between two blocks. */
  readonly blockSeconds?: bigint;
};

/** A network as an operator configures it. Without `rpcUrls` this process does not settle on it. */
export type EvmNetworkSetup = {
  readonly processor: string;
  readonly processorVersion: string;
  readonly rpcUrls?: readonly string[] | undefined;
  /** Price of the native coin that pays for gas, in dollars as text. */
  readonly gasCoinUsd?: string | undefined;
  readonly maxFeeGwei?: number | undefined;
  readonly blockSeconds: number;
};

export type OpenOptions = {
  readonly timeoutMs: number;
  readonly nowMs: number;
  readonly maxFeeGwei: number;
  readonly log: WatchLog;
};

const WEI_DECIMALS = 18;
const WEI_PER_GWEI = 1_000_000_000n;

/** Opens the networks that have RPC URLs. */
export function openNetworks(
  setups: readonly (readonly [NetworkId, EvmNetworkSetup])[],
  options: OpenOptions,
): readonly OpenNetwork[] {
  const { timeoutMs, nowMs, log } = options;
  return setups.flatMap(([network, setup]): OpenNetwork[] => {
    const { rpcUrls, processor, processorVersion, gasCoinUsd, maxFeeGwei, blockSeconds } = setup;
    const [first, ...others] = rpcUrls ?? [];
    const chain = findChain(network);
    const chainId = chainIdOf(network);
    if (first === undefined || chain === undefined || chainId === undefined) return [];
    const pool = createEndpointPool({
      urls: [first, ...others],
      timeoutMs,
      chainId,
      onChange: (endpoint, trouble) =>
        trouble === 'back'
          ? log('rpc_endpoint_back', { network, endpoint })
          : log('rpc_endpoint_failing', { network, endpoint, trouble }),
    });
    return [
      {
        network,
        mode: chain.mode,
        processor,
        processorVersion,
        rpc: requireEndpointQuorum(pool, () => log('rpc_endpoints_contradict', { network })),
        endpoints: pool.endpoints,
        voters: pool.healthyEndpoints,
        feeBounds: { ...DEFAULT_TIP_BOUNDS, maxFeeWei: BigInt(maxFeeGwei ?? options.maxFeeGwei) * WEI_PER_GWEI },
        gasCoin: gasCoinUsd === undefined ? undefined : gasCoinRate(chain.gasSymbol, WEI_DECIMALS, gasCoinUsd, nowMs),
        blockSeconds: BigInt(blockSeconds),
      },
    ];
  });
}
