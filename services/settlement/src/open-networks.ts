// The networks that this process settles on, with the ways to their nodes.
import type { OperatedNetworks } from '@svc-pay/config/networks';
import { findChain, type Mode } from '@svc-pay/core';
import { createJsonRpc, type JsonRpc } from '@svc-pay/evm';
import { parseRate, type Rate, token } from '@svc-pay/money';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';

export type OpenNetwork = {
  readonly network: NetworkId;
  readonly mode: Mode;
  readonly processor: string;
  readonly processorVersion: string;
  /** Asks the nodes in their order until one answers. */
  readonly rpc: JsonRpc;
  /** Each node on its own. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  readonly gasCoin: Rate | undefined;
};

const WEI_DECIMALS = 18;

/** Those of the EVM family that name their nodes. */
export function openNetworks(operated: OperatedNetworks, timeoutMs: number, nowMs: number): readonly OpenNetwork[] {
  return [...operated].flatMap(([network, { rpcUrls, processor, processorVersion, gasCoinUsd }]): OpenNetwork[] => {
    const [first, ...others] = rpcUrls ?? [];
    const chain = findChain(network);
    if (first === undefined || chain === undefined || chainIdOf(network) === undefined) return [];
    const endpoint = (url: string) => createJsonRpc({ urls: [url], timeoutMs });
    return [
      {
        network,
        mode: chain.mode,
        processor,
        processorVersion,
        rpc: createJsonRpc({ urls: [first, ...others], timeoutMs }),
        endpoints: [endpoint(first), ...others.map(endpoint)],
        gasCoin: gasCoinUsd === undefined ? undefined : gasCoinRate(chain.gasSymbol, gasCoinUsd, nowMs),
      },
    ];
  });
}

function gasCoinRate(symbol: string, usdPerToken: string, nowMs: number): Rate | undefined {
  const read = parseRate({
    token: token(symbol, WEI_DECIMALS),
    usdPerToken,
    source: 'configuration',
    observedAtMs: nowMs,
  });
  return read.ok ? read.rate : undefined;
}
