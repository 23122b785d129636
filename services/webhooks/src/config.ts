// What webhooks takes from the environment. It opens signing keys and dials addresses that merchants chose, so it is given
// nothing else: no pepper, no relayer key, no node.
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
} from '@svc-pay/config';
import { DENIED_PORTS, type IpRange, type Mode, parseRange } from '@svc-pay/core';

const PORT_MAX = 65_535;

export const WEBHOOKS_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({ name: 'SVC_DATABASE_URL', about: 'The database of record, as a role of group `svc_webhooks`.' }),
  ),
  databasePool: wholeNumber(
    { name: 'SVC_WEBHOOKS_DATABASE_POOL', about: 'Most database connections of one process.', fallback: '6' },
    2,
    1_000,
  ),
  masterKeys: secret(masterKeys({ name: 'SVC_MASTER_KEYS', about: 'Open the keys that deliveries are signed with.' })),
  modes: oneOf(
    {
      name: 'SVC_WEBHOOKS_MODES',
      about: 'Whose deliveries this process sends. Processes for one mode each may run side by side.',
      fallback: 'both',
    },
    ['both', 'live', 'test'],
  ),
  allowLoopback: flag({
    name: 'SVC_WEBHOOKS_ALLOW_LOOPBACK',
    about: 'Whether deliveries may go to this machine. Refused unless `SVC_WEBHOOKS_MODES` is `test`.',
    fallback: 'off',
  }),
  deniedPorts: commaList({
    name: 'SVC_WEBHOOKS_DENIED_PORTS',
    about: 'Ports that are never dialled.',
    fallback: DENIED_PORTS.join(','),
  }),
  deniedAddresses: optional(
    commaList({
      name: 'SVC_WEBHOOKS_DENIED_ADDRESSES',
      about: 'Addresses or CIDR ranges that are never dialled, beside private ones and this machine’s own.',
    }),
  ),
  dnsServers: optional(
    commaList({
      name: 'SVC_WEBHOOKS_DNS_SERVERS',
      about: 'Name servers to ask, as `address` or `address:port`. Absent: those of the machine.',
    }),
  ),
  concurrency: wholeNumber(
    { name: 'SVC_WEBHOOKS_CONCURRENCY', about: 'Most requests of one process under way at once.', fallback: '512' },
    1,
    100_000,
  ),
  perEndpoint: wholeNumber(
    { name: 'SVC_WEBHOOKS_PER_ENDPOINT', about: 'Most of them to one endpoint.', fallback: '32' },
    1,
    1_000,
  ),
  shards: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_SHARDS',
      about: 'In how many parts the endpoints are looked after. The same in every process.',
      fallback: '2',
    },
    1,
    64,
  ),
  lookoutMs: wholeNumber(
    { name: 'SVC_WEBHOOKS_LOOKOUT_MS', about: 'How often a look is taken for new deliveries.', fallback: '200' },
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
    about: 'Address on which the engine reaches this process. Private network only.',
    fallback: '127.0.0.1',
  }),
  enginePort: wholeNumber(
    {
      name: 'SVC_WEBHOOKS_ENGINE_PORT',
      about: 'Its port; 0 takes a free one. The same after a restart, or work under way waits a minute and a half.',
      fallback: '9404',
    },
    0,
    PORT_MAX,
  ),
  engineOwnUrl: optional(
    httpUrl({
      name: 'SVC_WEBHOOKS_ENGINE_URL',
      about: 'Under which the engine reaches this process, when that is not where it listens.',
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

export type ReadConfig =
  | { readonly ok: true; readonly config: WebhooksConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readWebhooksConfig(environment: Environment = process.env): ReadConfig {
  const read = readSettings(WEBHOOKS_SETTINGS, environment);
  if (!read.ok) return read;
  const { modes: which, deniedPorts: ports, deniedAddresses: addresses = [], ...rest } = read.values;
  const modes: readonly Mode[] = which === 'both' ? ['live', 'test'] : [which];
  const ranges = addresses.map(parseRange);
  const problems = [
    ...(rest.allowLoopback && modes.includes('live')
      ? ['SVC_WEBHOOKS_ALLOW_LOOPBACK is refused in live mode: set SVC_WEBHOOKS_MODES to test, or leave it off']
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
