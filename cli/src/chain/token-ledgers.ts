// The token ledgers of the networks of the Internet Computer that have boundary nodes.
import type { IcrcChain } from '@svc-pay/core';
import { createIcrcChain, rootKeyBytes } from '@svc-pay/icp';
import { parseNetwork } from '@svc-pay/protocol';
import { isIcp, type OperatedNetworks } from '@svc-pay/runtime/config/networks';

/** Of every network, or of the named one alone. */
export function openTokenLedgers(
  operated: OperatedNetworks,
  only: string | undefined,
  timeoutMs: number,
): readonly IcrcChain[] {
  const wanted = only === undefined ? undefined : parseNetwork(only);
  return [...operated].flatMap(([network, setup]) => {
    const { rpcUrls: urls = [] } = setup;
    if (!isIcp(setup) || urls.length === 0 || (only !== undefined && network !== wanted)) return [];
    return [createIcrcChain(network, { urls, rootKey: rootKeyBytes(setup.rootKey), timeoutMs })];
  });
}
