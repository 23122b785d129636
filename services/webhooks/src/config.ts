// Settings of the webhooks service. The service opens signing keys and dials addresses chosen by merchants, so it gets
// no other secrets: no pepper, no relayer key, no RPC endpoint.

import { DENIED_PORTS, type IpRange, type Mode, parseRange } from '@svc-pay/core';
import {
  commaList,
  ENGINE_SETTINGS,
  type Environment,
  flag,
  httpUrl,
  logLevel,
  masterKeys,
  oneOf,
  optional,
  postgresUrl,
  readSettings,
  secret,
  text,
  type ValuesOf,
  wholeNumber,
} from '@svc-pay/runtime/config';

const PORT_MAX = 65_535;

export const WEBHOOKS_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({
      name: 'SVC_DATABASE_URL',
      about: 'PostgreSQL database of the installation, as a role of group `svc_webhooks`.',
    }),
  ),
  databasePool: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_DATABASE_POOL',
      about: 'Maximum number of database connections of one process.',
      fallback: '6',
    },
    2,
    1_000,
  ),
  masterKeys: secret(
    masterKeys({ name: 'SVC_MASTER_KEYS', about: 'Master keys that decrypt the signing keys of endpoints.' }),
  ),
  modes: oneOf(
    {
      name: 'SVC_WEBHOOKS_MODES',
      about:
        'Modes whose deliveries this process sends. A process for `live` and a process for `test` may run side by side.',
      fallback: 'both',
    },
    ['both', 'live', 'test'],
  ),
  allowLoopback: flag({
    name: 'SVC_WEBHOOKS_ALLOW_LOOPBACK',
    about:
      'Allows deliveries to loopback addresses. The process does not start with it unless `SVC_WEBHOOKS_MODES` is `test`.',
    fallback: 'off',
  }),
  deniedPorts: commaList({
    name: 'SVC_WEBHOOKS_DENIED_PORTS',
    about: 'Ports that the process never connects to.',
    fallback: DENIED_PORTS.join(','),
  }),
  deniedAddresses: optional(
    commaList({
      name: 'SVC_WEBHOOKS_DENIED_ADDRESSES',
      about:
        'Addresses or CIDR ranges that the process never connects to, in addition to private ranges and the addresses of this machine.',
    }),
  ),
  dnsServers: optional(
    commaList({
      name: 'SVC_WEBHOOKS_DNS_SERVERS',
      about: 'DNS servers, as `address` or `address:port`. Absent: the DNS servers of the machine.',
    }),
  ),
  concurrency: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_CONCURRENCY',
      about: 'Maximum number of concurrent deliveries of one process. A quarter is kept for `payment.*` events.',
      fallback: '512',
    },
    1,
    100_000,
  ),
  perEndpoint: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_PER_ENDPOINT',
      about:
        'Maximum number of concurrent deliveries of one process to one endpoint. A quarter is kept for `payment.*` events.',
      fallback: '32',
    },
    1,
    1_000,
  ),
  shards: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_SHARDS',
      about: 'Number of shards that the endpoints are divided into. Use the same number in every process.',
      fallback: '2',
    },
    1,
    64,
  ),
  pollMs: wholeNumber(
    { name: 'SVC_WEBHOOKS_POLL_MS', about: 'Pause between two polls for new deliveries.', fallback: '200' },
    10,
    60_000,
  ),
  host: text({
    name: 'SVC_WEBHOOKS_HOST',
    about: 'Address that the internal listener binds. Keep it off the internet.',
    fallback: '127.0.0.1',
  }),
  port: wholeNumber(
    { name: 'SVC_WEBHOOKS_PORT', about: 'Port of the internal listener; 0 takes a free one.', fallback: '8404' },
    0,
    PORT_MAX,
  ),
  engineHost: text({
    name: 'SVC_WEBHOOKS_ENGINE_HOST',
    about: 'Address of the listener that Restate calls. Bind it to a private network only.',
    fallback: '127.0.0.1',
  }),
  enginePort: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_ENGINE_PORT',
      about:
        'Port of the listener that Restate calls; 0 takes a free one. Keep it fixed: after a change running work pauses for about 90 seconds.',
      fallback: '9404',
    },
    0,
    PORT_MAX,
  ),
  engineOwnUrl: optional(
    httpUrl({
      name: 'SVC_WEBHOOKS_ENGINE_URL',
      about:
        'Address under which Restate reaches this process, if it differs from the host and port of the listener (NAT, container).',
    }),
  ),
  ...ENGINE_SETTINGS,
  logLevel,
};

export type WebhooksConfig = Omit<ValuesOf<typeof WEBHOOKS_SETTINGS>, 'modes' | 'deniedPorts' | 'deniedAddresses'> & {
  readonly modes: readonly Mode[];
  readonly deniedPorts: ReadonlySet<number>;
  readonly deniedAddresses: readonly IpRange[];
};

export type ReadWebhooksConfig =
  | { readonly ok: true; readonly config: WebhooksConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readWebhooksConfig(environment: Environment = process.env): ReadWebhooksConfig {
  const read = readSettings(WEBHOOKS_SETTINGS, environment);
  if (!read.ok) return read;
  const { modes: which, deniedPorts: ports, deniedAddresses: addresses = [], ...rest } = read.values;
  const modes: readonly Mode[] = which === 'both' ? ['live', 'test'] : [which];
  const ranges = addresses.map(parseRange);
  const problems = [
    ...(rest.allowLoopback && modes.includes('live')
      ? ['SVC_WEBHOOKS_ALLOW_LOOPBACK is refused in live mode: set SVC_WEBHOOKS_MODES to test, or leave it off']
      : []),
    ...(modes.includes('live') && (rest.engineIdentityKeys ?? []).length === 0
      ? [
          'SVC_ENGINE_IDENTITY_KEYS is required for live deliveries: the public key that Restate prints at its start; for test deliveries alone set SVC_WEBHOOKS_MODES to test',
        ]
      : []),
    ...(ports.every((port) => /^[1-9]\d{0,4}$/.test(port)) ? [] : ['SVC_WEBHOOKS_DENIED_PORTS: each is a port']),
    ...(ranges.includes(undefined) ? ['SVC_WEBHOOKS_DENIED_ADDRESSES: each is an address or a CIDR range'] : []),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    config: Object.freeze({
      ...rest,
      modes,
      deniedPorts: new Set(ports.map((port) => Number.parseInt(port, 10))),
      deniedAddresses: ranges.filter((range) => range !== undefined),
    }),
  };
}
