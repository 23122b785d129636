// All settings of the API: name, form, default and description. The settings page is generated from this list.

import { DENIED_PORTS } from '@svc-pay/core';
import {
  commaList,
  flag,
  httpUrl,
  httpUrls,
  keyPeppers,
  logLevel,
  optional,
  PAYOUT_SETTINGS,
  postgresUrl,
  sealingKey,
  secret,
  text,
  wholeNumber,
} from '@svc-pay/runtime/config';
import { networksFile, networksJson } from '@svc-pay/runtime/config/networks';
import { LIMIT_SETTINGS } from './limit/limit-settings.ts';

const PORT_MAX = 65_535;
const DAY_MS = 86_400_000;

export const API_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({
      name: 'SVC_DATABASE_URL',
      about: 'PostgreSQL database of the installation, as a role of group `svc_api`.',
    }),
  ),
  databasePool: wholeNumber(
    {
      name: 'SVC_API_DATABASE_POOL',
      about:
        'Maximum number of database connections of one process for requests. Notifications have one more; quotas, the deny list and the look for changed settings have two.',
      fallback: '10',
    },
    1,
    1_000,
  ),
  statementTimeoutMs: wholeNumber(
    {
      name: 'SVC_API_STATEMENT_TIMEOUT_MS',
      about:
        'Timeout of one database statement. A repeated request also waits at most this long for the first request with its idempotency key.',
      fallback: '10000',
    },
    10,
    60_000,
  ),
  keyPeppers: secret(
    keyPeppers({
      name: 'SVC_KEY_PEPPER',
      about:
        'Secret that hashes API keys before they are stored. Replace it only by the steps of docs/operate/rotate-secrets.md: without them every key stops working.',
    }),
  ),
  cacheMs: wholeNumber(
    {
      name: 'SVC_API_CACHE_MS',
      about:
        'Longest time that an API key and the settings of its account stay in the cache. A change takes effect within 100 ms, however long this is: every process looks for changes while requests arrive. 0 caches nothing.',
      fallback: '60000',
    },
    0,
    60_000,
  ),
  cacheEntries: wholeNumber(
    {
      name: 'SVC_API_CACHE_ENTRIES',
      about:
        'Maximum number of API keys in the cache, and as many settings of accounts, one per mode. The oldest ones leave it first. Plan twice the number of merchants that are active at once.',
      fallback: '20000',
    },
    100,
    1_000_000,
  ),
  networks: optional(
    networksJson({
      name: 'SVC_NETWORKS',
      about:
        'Networks of the installation, keyed by CAIP-2 name. The API does not offer a network that is missing here or has no `rpcUrls`.',
    }),
  ),
  networksFile: optional(
    networksFile({
      name: 'SVC_NETWORKS_FILE',
      about: 'File with the value of `SVC_NETWORKS`. Set either this or `SVC_NETWORKS`.',
    }),
  ),
  ...PAYOUT_SETTINGS,
  rpcTimeoutMs: wholeNumber(
    {
      name: 'SVC_API_RPC_TIMEOUT_MS',
      about: 'Timeout of one request to an RPC node; afterwards the API asks the next node of `rpcUrls`.',
      fallback: '3000',
    },
    100,
    60_000,
  ),
  sellerWaitMs: wholeNumber(
    {
      name: 'SVC_API_SELLER_WAIT_MS',
      about:
        'Longest wait for a payment result in `/x402/settle`; after it the answer says `settlement_pending`. Stock sellers give up after 90 seconds, many proxies after 60.',
      fallback: '55000',
    },
    0,
    60_000,
  ),
  settleWaitMs: wholeNumber(
    {
      name: 'SVC_SETTLE_WAIT_MS',
      about:
        'Maximum time that a settle request waits for the result of the payment before it answers `processing`. 0 answers at once.',
      fallback: '20000',
    },
    0,
    120_000,
  ),
  engineIngressUrls: optional(
    httpUrls({
      name: 'SVC_ENGINE_INGRESS_URL',
      about:
        'Ingress addresses of Restate, one per node, where the API announces new payments. Absent: settlement finds new payments by polling, a little later.',
    }),
  ),
  settlementUrls: optional(
    httpUrls({
      name: 'SVC_SETTLEMENT_URL',
      about:
        'Addresses of the internal listeners of settlement, one per process; the API asks the next one when one does not answer. Absent: up-to payments are neither offered nor settled.',
    }),
  ),
  internalKey: optional(
    secret(
      text({
        name: 'SVC_INTERNAL_KEY',
        about:
          'Key that the API shows to settlement: one of settlement’s `SVC_INTERNAL_KEYS`. Required with `SVC_SETTLEMENT_URL`.',
      }),
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
      about: 'Public base address of the API. Wallets receive it as `facilitatorUrl`.',
    }),
  ),
  corsOrigins: commaList({
    name: 'SVC_API_CORS_ORIGINS',
    about: 'Origins whose pages may call the routes for publishable keys; `*` allows every origin.',
    fallback: '*',
  }),
  trustedProxies: optional(
    commaList({
      name: 'SVC_API_TRUSTED_PROXIES',
      about:
        'Addresses or CIDR ranges of your proxies. The API reads the client address from `X-Forwarded-For` only if the request comes from one of them.',
    }),
  ),
  trustedHops: wholeNumber(
    {
      name: 'SVC_API_TRUSTED_HOPS',
      about:
        'Number of your proxies that a request passes, one behind another. The client address is that many entries from the right of `X-Forwarded-For`; what stands further left was written by the client. Counts only beside `SVC_API_TRUSTED_PROXIES`.',
      fallback: '1',
    },
    1,
    10,
  ),
  ...LIMIT_SETTINGS,
  requestTimeoutMs: wholeNumber(
    { name: 'SVC_API_REQUEST_TIMEOUT_MS', about: 'Time that a client has to send a whole request.', fallback: '15000' },
    100,
    600_000,
  ),
  stopDelayMs: wholeNumber(
    {
      name: 'SVC_API_STOP_DELAY_MS',
      about:
        'Time after SIGTERM in which `/ready` says that the process stops and requests are still taken. Longer than a balancer needs to notice.',
      fallback: '0',
    },
    0,
    60_000,
  ),
  stopTimeoutMs: wholeNumber(
    {
      name: 'SVC_API_STOP_TIMEOUT_MS',
      about: 'Time that open requests have to finish after SIGTERM.',
      fallback: '10000',
    },
    0,
    600_000,
  ),
  priceFeedUrl: optional(
    httpUrl({
      name: 'SVC_PRICE_FEED_URL',
      about:
        'Base address of the price feed for tokens without a fixed price; the API calls `GET <address>/<feed>`. Absent: tokens without a fixed price are not offered.',
    }),
  ),
  priceRefreshMs: wholeNumber(
    { name: 'SVC_PRICE_REFRESH_MS', about: 'Minimum pause between two requests for the same price.', fallback: '5000' },
    100,
    DAY_MS,
  ),
  priceMaxAgeMs: wholeNumber(
    {
      name: 'SVC_PRICE_MAX_AGE_MS',
      about: 'Maximum age of a price. The API does not offer a token whose price is older.',
      fallback: '60000',
    },
    1_000,
    DAY_MS,
  ),
  priceLifeMs: wholeNumber(
    {
      name: 'SVC_PRICE_LIFE_MS',
      about:
        'Time that an intent can be paid at the rate of the price feed. Afterwards settle refuses that token and the payer needs a new intent. Tokens with a fixed price have no such limit.',
      fallback: '600000',
    },
    60_000,
    DAY_MS,
  ),
  sealingKey: optional(
    sealingKey({
      name: 'SVC_SEAL_KEY',
      about:
        'Public half of the master key, as `npm run svc -- keys seal-key` prints it. The API encrypts the secrets of new endpoints with it. Absent: the API creates no endpoints.',
    }),
  ),
  allowLoopback: flag({
    name: 'SVC_WEBHOOKS_ALLOW_LOOPBACK',
    about: 'Allows test endpoints on loopback addresses. Set it for the webhooks process too.',
    fallback: 'off',
  }),
  deniedPorts: commaList({
    name: 'SVC_WEBHOOKS_DENIED_PORTS',
    about: 'Ports that the URL of an endpoint must not use.',
    fallback: DENIED_PORTS.join(','),
  }),
  logLevel,
  traceUrl: optional(
    httpUrl({
      name: 'SVC_TRACE_URL',
      about:
        'Address that receives traces by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`. Absent: no traces.',
    }),
  ),
};
