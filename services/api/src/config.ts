// Settings of the API. The API has no key that signs and none that opens secrets: it seals webhook secrets and cannot
// read them again.

import { type ExplorerUrls, minimumFromUsd, type NetworkSetup, parseRange } from '@svc-pay/core';
import type { RpcUrls } from '@svc-pay/evm/verify';
import type { NetworkId } from '@svc-pay/protocol';
import { type Environment, readSettings, type ValuesOf } from '@svc-pay/runtime/config';
import {
  blockSecondsOf,
  chosenNetworks,
  explorersOf,
  isEvm,
  isIcp,
  isSolana,
  minimumUsdOf,
  type OperatedNetworks,
  processorOf,
} from '@svc-pay/runtime/config/networks';
import { type ClusterSettings, type ClusterSettingsByNetwork, DEFAULT_CONFIRMATIONS } from '@svc-pay/solana';
import { API_SETTINGS } from './settings.ts';

export { API_SETTINGS } from './settings.ts';

export type ApiConfig = Omit<ValuesOf<typeof API_SETTINGS>, 'networks' | 'networksFile' | 'deniedPorts'> & {
  readonly deniedPorts: ReadonlySet<number>;
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  readonly explorers: ExplorerUrls;
  /** RPC URLs by network; they may contain a provider's key. */
  readonly rpcUrls: RpcUrls;
  /** Solana clusters by network; their URLs may contain a provider's key. */
  readonly clusters: ClusterSettingsByNetwork;
};

export type ReadApiConfig =
  | { readonly ok: true; readonly config: ApiConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readApiConfig(environment: Environment = process.env): ReadApiConfig {
  const read = readSettings(API_SETTINGS, environment);
  if (!read.ok) return read;
  const { networks, networksFile, deniedPorts: ports, ...rest } = read.values;
  const chosen = chosenNetworks({ networks, networksFile });
  const problems = [
    ...chosen.problems,
    ...(rest.port !== 0 && rest.port === rest.metricsPort
      ? ['SVC_API_METRICS_PORT must differ from SVC_API_PORT: metrics are not public']
      : []),
    ...((rest.settlementUrls === undefined) !== (rest.internalKey === undefined)
      ? ['SVC_SETTLEMENT_URL and SVC_INTERNAL_KEY go together']
      : []),
    ...(rest.trustedProxies ?? [])
      .filter((range) => parseRange(range) === undefined)
      .map((range) => `SVC_API_TRUSTED_PROXIES: ${range} is no address and no range such as 10.0.0.0/24`),
    ...(ports.every((port) => /^[1-9]\d{0,4}$/.test(port)) ? [] : ['SVC_WEBHOOKS_DENIED_PORTS: each is a port']),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const operated = chosen.networks;
  const deniedPorts = new Set(ports.map((port) => Number.parseInt(port, 10)));
  return {
    ok: true,
    config: Object.freeze({
      ...rest,
      deniedPorts,
      networks: setupsOf(operated),
      explorers: explorersOf(operated),
      rpcUrls: rpcUrlsOf(operated),
      clusters: clustersOf(operated),
    }),
  };
}

/** Leaves out the RPC URLs. A network without RPC URLs cannot verify signatures, so it is not offered. */
function setupsOf(networks: OperatedNetworks): ReadonlyMap<string, NetworkSetup> {
  const setups = new Map<string, NetworkSetup>();
  for (const [network, setup] of networks) {
    const { ready, rpcUrls = [] } = setup;
    if (isIcp(setup)) {
      setups.set(network, { processor: '', paysMerchant: true, ready: ready && rpcUrls.length > 0 });
      continue;
    }
    const { rpcUrlPublic } = setup;
    const confirmations = setup.confirmations ?? (isSolana(setup) ? DEFAULT_CONFIRMATIONS : undefined);
    const minimumUsdMicros = minimumFromUsd(minimumUsdOf(network, setup));
    setups.set(network, {
      processor: processorOf(setup) ?? '',
      ...(isEvm(setup) && { processorVersion: setup.processorVersion }),
      ready: ready && rpcUrls.length > 0,
      ...(rpcUrlPublic !== undefined && { rpcUrlPublic }),
      ...(confirmations !== undefined && { confirmations }),
      ...(minimumUsdMicros !== null && { minimumUsdMicros }),
      blockSeconds: blockSecondsOf(network, setup),
    });
  }
  return setups;
}

function clustersOf(networks: OperatedNetworks): ClusterSettingsByNetwork {
  const clusters = new Map<NetworkId, ClusterSettings>();
  for (const [network, setup] of networks) {
    const [first, ...others] = setup.rpcUrls ?? [];
    if (!isSolana(setup) || first === undefined) continue;
    const { feeAccount, genesisHash, program } = setup;
    clusters.set(network, { rpcUrls: [first, ...others], feeAccount, genesisHash, program });
  }
  return clusters;
}

function rpcUrlsOf(networks: OperatedNetworks): RpcUrls {
  const known = new Map<string, readonly [string, ...string[]]>();
  for (const [network, setup] of networks) {
    const [first, ...others] = setup.rpcUrls ?? [];
    if (first !== undefined && isEvm(setup)) known.set(network, [first, ...others]);
  }
  return known;
}
