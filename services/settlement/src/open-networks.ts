// The networks that this process settles on, with the ways to their nodes.
import { isSolana, type OperatedNetworks } from '@svc-pay/config/networks';
import { findChain, type Mode } from '@svc-pay/core';
import { agreeOnEnds, createEndpointPool, DEFAULT_TIP_BOUNDS, type FeeBounds, type JsonRpc } from '@svc-pay/evm';
import type { Rate } from '@svc-pay/money';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { gasCoinRate } from './gas-coin.ts';

export type OpenNetwork = {
  readonly network: NetworkId;
  readonly mode: Mode;
  readonly processor: string;
  readonly processorVersion: string;
  /** Asks nodes in good standing; what ends payments needs the word of two where two answer. */
  readonly rpc: JsonRpc;
  /** Each node on its own. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  /** Those of them in good standing. */
  readonly voters: () => Promise<readonly JsonRpc[]>;
  readonly feeBounds: FeeBounds;
  readonly gasCoin: Rate | undefined;
};

export type OpenOptions = {
  readonly timeoutMs: number;
  readonly nowMs: number;
  readonly maxFeeGwei: number;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
};

const WEI_DECIMALS = 18;
const WEI_PER_GWEI = 1_000_000_000n;

/** Those of the EVM family that name their nodes. */
export function openNetworks(operated: OperatedNetworks, options: OpenOptions): readonly OpenNetwork[] {
  const { timeoutMs, nowMs, log } = options;
  return [...operated].flatMap(([network, setup]): OpenNetwork[] => {
    if (isSolana(setup)) return [];
    const { rpcUrls, processor, processorVersion, gasCoinUsd, maxFeeGwei } = setup;
    const [first, ...others] = rpcUrls ?? [];
    const chain = findChain(network);
    const chainId = chainIdOf(network);
    if (first === undefined || chain === undefined || chainId === undefined) return [];
    const pool = createEndpointPool({
      urls: [first, ...others],
      timeoutMs,
      chainId,
      onChange: (endpoint, trouble) =>
        log(trouble === 'back' ? 'info' : 'warn', { network, endpoint }, `RPC endpoint: ${trouble}`),
    });
    return [
      {
        network,
        mode: chain.mode,
        processor,
        processorVersion,
        rpc: agreeOnEnds(pool, () => log('warn', { network }, 'RPC endpoints contradict each other')),
        endpoints: pool.endpoints,
        voters: pool.inGoodStanding,
        feeBounds: { ...DEFAULT_TIP_BOUNDS, maxFeeWei: BigInt(maxFeeGwei ?? options.maxFeeGwei) * WEI_PER_GWEI },
        gasCoin: gasCoinUsd === undefined ? undefined : gasCoinRate(chain.gasSymbol, WEI_DECIMALS, gasCoinUsd, nowMs),
      },
    ];
  });
}
