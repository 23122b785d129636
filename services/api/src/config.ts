// What the API takes from the environment. It holds no key that opens secrets and none that signs; what it seals, it can't
// read again.
import {
  base64Bytes,
  commaList,
  type Environment,
  flag,
  httpUrl,
  httpUrls,
  logLevel,
  optional,
  postgresUrl,
  readSettings,
  sealingKey,
  secret,
  text,
  type ValuesOf,
  wholeNumber,
} from '@svc-pay/config';
import {
  chosenNetworks,
  isSolana,
  networksFile,
  networksJson,
  type OperatedNetworks,
  processorOf,
} from '@svc-pay/config/networks';
import { DENIED_PORTS, type NetworkSetup } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { DEFAULT_CONFIRMATIONS } from '@svc-pay/solana';
import type { RpcUrls } from './chain/chain-reads.ts';
import type { ClusterSettings, ClusterSettingsByNetwork } from './solana/open-clusters.ts';

const PORT_MAX = 65_535;
const DAY_MS = 86_400_000;

export const API_SETTINGS = {
  databaseUrl: secret(postgresUrl({ name: 'SVC_DATABASE_URL', about: 'The database of record.' })),
  databasePool: wholeNumber(
    { name: 'SVC_API_DATABASE_POOL', about: 'Most database connections of one process.', fallback: '10' },
    1,
    1_000,
  ),
  statementTimeoutMs: wholeNumber(
    {
      name: 'SVC_API_STATEMENT_TIMEOUT_MS',
      about: 'Longest that one statement may take, and that a repeat waits for the first request with its key.',
      fallback: '10000',
    },
    10,
    60_000,
  ),
  keyPepper: secret(
    base64Bytes({ name: 'SVC_KEY_PEPPER', about: 'Finds API keys without storing them; the same for ever.' }, 32),
  ),
  memoryMs: wholeNumber(
    {
      name: 'SVC_API_MEMORY_MS',
      about: 'How long a key and the settings of an account are remembered; a revoked key works this much longer.',
      fallback: '1000',
    },
    0,
    60_000,
  ),
  networks: optional(
    networksJson({
      name: 'SVC_NETWORKS',
      about:
        'What runs on each network, keyed by CAIP-2. A network that is missing, or has no `rpcUrls` to verify signatures with, is not offered.',
    }),
  ),
  networksFile: optional(
    networksFile({ name: 'SVC_NETWORKS_FILE', about: 'The same as a file; either this or `SVC_NETWORKS`.' }),
  ),
  rpcTimeoutMs: wholeNumber(
    {
      name: 'SVC_API_RPC_TIMEOUT_MS',
      about: 'Longest that one RPC address may take to answer before the next one is asked.',
      fallback: '3000',
    },
    100,
    60_000,
  ),
  settleWaitMs: wholeNumber(
    {
      name: 'SVC_SETTLE_WAIT_MS',
      about: 'Longest that settle waits for the result before it answers `processing`; 0 answers at once.',
      fallback: '20000',
    },
    0,
    120_000,
  ),
  engineIngressUrls: optional(
    httpUrls({
      name: 'SVC_ENGINE_INGRESS_URL',
      about:
        'Where the engine is told that payments wait, one address per node. Absent: nobody is told, and they are found a little later.',
    }),
  ),
  settlementUrls: optional(
    httpUrls({
      name: 'SVC_SETTLEMENT_URL',
      about:
        'Internal listener of settlement, which settles up-to payments; of several processes, each. The next is asked when one does not answer. Absent: up-to is neither offered nor settled.',
    }),
  ),
  internalKey: optional(
    secret(
      text({ name: 'SVC_INTERNAL_KEY', about: 'One of settlement’s `SVC_INTERNAL_KEYS`; given with its address.' }),
    ),
  ),
  host: text({ name: 'SVC_API_HOST', about: 'Address that the public listener binds.', fallback: '127.0.0.1' }),
  port: wholeNumber(
    { name: 'SVC_API_PORT', about: 'Port of the public listener; 0 takes a free one.', fallback: '8402' },
    0,
    PORT_MAX,
  ),
  metricsHost: text({
    name: 'SVC_API_METRICS_HOST',
    about: 'Address that the metrics listener binds. Keep it off the internet.',
    fallback: '127.0.0.1',
  }),
  metricsPort: wholeNumber(
    { name: 'SVC_API_METRICS_PORT', about: 'Port of the metrics listener; 0 takes a free one.', fallback: '9402' },
    0,
    PORT_MAX,
  ),
  publicUrl: optional(
    httpUrl({
      name: 'SVC_API_PUBLIC_URL',
      about: 'Base address under which clients reach the API. Given to wallets as `facilitatorUrl`.',
    }),
  ),
  corsOrigins: commaList({
    name: 'SVC_API_CORS_ORIGINS',
    about: 'Origins whose pages may call the publishable routes; `*` for any.',
    fallback: '*',
  }),
  trustedProxies: optional(
    commaList({
      name: 'SVC_API_TRUSTED_PROXIES',
      about: 'Addresses or CIDR ranges whose `X-Forwarded-For` is believed.',
    }),
  ),
  rateLimits: flag({ name: 'SVC_API_RATE_LIMITS', about: 'Whether requests are limited at all.', fallback: 'on' }),
  rateLive: wholeNumber(
    { name: 'SVC_API_RATE_LIVE', about: 'Requests a second per live key and process.', fallback: '100' },
    1,
    1_000_000,
  ),
  rateTest: wholeNumber(
    { name: 'SVC_API_RATE_TEST', about: 'Requests a second per test key and process.', fallback: '25' },
    1,
    1_000_000,
  ),
  rateAddress: wholeNumber(
    {
      name: 'SVC_API_RATE_ADDRESS',
      about: 'Requests a second per address and process, for publishable keys and for requests without a usable key.',
      fallback: '100',
    },
    1,
    1_000_000,
  ),
  streamsMax: wholeNumber(
    { name: 'SVC_API_STREAMS_MAX', about: 'Most event streams open in one process.', fallback: '1000' },
    0,
    100_000,
  ),
  streamHeartbeatMs: wholeNumber(
    {
      name: 'SVC_API_STREAM_HEARTBEAT_MS',
      about: 'Pause between two comments that keep a stream open.',
      fallback: '15000',
    },
    10,
    DAY_MS,
  ),
  streamPollMs: wholeNumber(
    {
      name: 'SVC_API_STREAM_POLL_MS',
      about: 'How often a stream looks by itself, in case a notification was lost.',
      fallback: '5000',
    },
    10,
    DAY_MS,
  ),
  streamLifeMs: wholeNumber(
    {
      name: 'SVC_API_STREAM_LIFE_MS',
      about: 'After this time a stream ends and the client connects again, with its key checked anew.',
      fallback: '900000',
    },
    10,
    DAY_MS,
  ),
  requestTimeoutMs: wholeNumber(
    { name: 'SVC_API_REQUEST_TIMEOUT_MS', about: 'Time a client has to send a whole request.', fallback: '15000' },
    100,
    600_000,
  ),
  stopTimeoutMs: wholeNumber(
    {
      name: 'SVC_API_STOP_TIMEOUT_MS',
      about: 'Time that open requests get to finish when the process stops.',
      fallback: '10000',
    },
    0,
    600_000,
  ),
  priceFeedUrl: optional(
    httpUrl({
      name: 'SVC_PRICE_FEED_URL',
      about: 'Where tokens without a fixed price are asked for: `GET <address>/<feed>`. Absent: they have no price.',
    }),
  ),
  priceRefreshMs: wholeNumber(
    { name: 'SVC_PRICE_REFRESH_MS', about: 'A feed is asked at most this often.', fallback: '5000' },
    100,
    DAY_MS,
  ),
  priceMaxAgeMs: wholeNumber(
    { name: 'SVC_PRICE_MAX_AGE_MS', about: 'An older price is no price.', fallback: '60000' },
    1_000,
    DAY_MS,
  ),
  sealingKey: optional(
    sealingKey({
      name: 'SVC_SEAL_KEY',
      about:
        'Public half of the master key, as `keys seal-key` prints it: seals the secrets of endpoints. Absent: none can be created.',
    }),
  ),
  allowLoopback: flag({
    name: 'SVC_WEBHOOKS_ALLOW_LOOPBACK',
    about: 'Whether test endpoints may be on this machine; the webhooks process has to allow it too.',
    fallback: 'off',
  }),
  deniedPorts: commaList({
    name: 'SVC_WEBHOOKS_DENIED_PORTS',
    about: 'Ports that no endpoint may have.',
    fallback: DENIED_PORTS.join(','),
  }),
  logLevel,
  traceUrl: optional(
    httpUrl({
      name: 'SVC_TRACE_URL',
      about: 'OTLP over HTTP for traces, such as `http://127.0.0.1:4318/v1/traces`. Absent: no traces.',
    }),
  ),
};

export type ApiConfig = Omit<ValuesOf<typeof API_SETTINGS>, 'networks' | 'networksFile' | 'deniedPorts'> & {
  readonly deniedPorts: ReadonlySet<number>;
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  /** Of the networks that can be asked; they may carry a provider's key. */
  readonly rpcUrls: RpcUrls;
  /** Likewise, of Solana. */
  readonly clusters: ClusterSettingsByNetwork;
};

export type ReadConfig =
  | { readonly ok: true; readonly config: ApiConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readApiConfig(environment: Environment = process.env): ReadConfig {
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
      rpcUrls: rpcUrlsOf(operated),
      clusters: clustersOf(operated),
    }),
  };
}

/** Without the addresses of nodes. Where there are none no signature can be verified, so nothing is promised there. */
function setupsOf(networks: OperatedNetworks): ReadonlyMap<string, NetworkSetup> {
  const setups = new Map<string, NetworkSetup>();
  for (const [network, setup] of networks) {
    const { ready, rpcUrls = [], rpcUrlPublic } = setup;
    const confirmations = setup.confirmations ?? (isSolana(setup) ? DEFAULT_CONFIRMATIONS : undefined);
    setups.set(network, {
      processor: processorOf(setup),
      ...(!isSolana(setup) && { processorVersion: setup.processorVersion }),
      ready: ready && rpcUrls.length > 0,
      ...(rpcUrlPublic !== undefined && { rpcUrlPublic }),
      ...(confirmations !== undefined && { confirmations }),
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
    if (first !== undefined && !isSolana(setup)) known.set(network, [first, ...others]);
  }
  return known;
}
