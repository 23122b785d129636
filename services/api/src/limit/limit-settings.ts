// Settings of what the API refuses: quotas, open streams, and more requests than it can answer in time.
import { flag, wholeNumber } from '@svc-pay/runtime/config';

const DAY_MS = 86_400_000;

export const LIMIT_SETTINGS = {
  rateLimits: flag({
    name: 'SVC_API_RATE_LIMITS',
    about:
      'Switches all quotas on or off: of requests, stored bytes, open up-to caps and unsettled value. The limits of event streams stay.',
    fallback: 'on',
  }),
  rateLive: wholeNumber(
    {
      name: 'SVC_API_RATE_LIVE',
      about:
        'Quota of one live API key, in requests per second over all processes, separately for each class of requests; its account may use four times as much. `accounts limits set` gives an account another one.',
      fallback: '100',
    },
    1,
    1_000_000,
  ),
  rateTest: wholeNumber(
    {
      name: 'SVC_API_RATE_TEST',
      about:
        'Quota of one test API key, in requests per second over all processes, separately for each class of requests; its account may use four times as much.',
      fallback: '100',
    },
    1,
    1_000_000,
  ),
  rateAddress: wholeNumber(
    {
      name: 'SVC_API_RATE_ADDRESS',
      about:
        'Quota of one client address, in requests per second over all processes, for requests with a publishable key or without a valid key, separately for each class of requests. An address creates at most a fiftieth of what a key may create, five at once. A quota of the same size counts database lookups of keys that were not valid within the last hour. An IPv6 /64 counts as one address; a /48 has four times its quota.',
      fallback: '20',
    },
    1,
    1_000_000,
  ),
  storedBytesPerDay: wholeNumber(
    {
      name: 'SVC_API_STORED_BYTES_PER_DAY',
      about:
        'Bytes of request bodies that create or change something, per account and day, over all processes. Publishable and secret keys of an account have this much each; one client address may use a sixteenth of it with publishable keys.',
      fallback: '1073741824',
    },
    1_000,
    Number.MAX_SAFE_INTEGER,
  ),
  unsettledUsdPerPayer: wholeNumber(
    {
      name: 'SVC_API_UNSETTLED_USD_PER_PAYER',
      about:
        'Dollars that one payer may have pending in one token, over all accounts. A payment beyond it is refused until earlier ones are settled; a payer with nothing pending may pay any amount.',
      fallback: '10000',
    },
    1,
    1_000_000_000,
  ),
  uptoOpenPerPayer: wholeNumber(
    {
      name: 'SVC_API_UPTO_OPEN_PER_PAYER',
      about:
        'Maximum number of confirmed up-to authorizations of one payer on one network that the chain may still execute, over all accounts.',
      fallback: '50',
    },
    1,
    1_000_000,
  ),
  uptoOpenPerAccount: wholeNumber(
    {
      name: 'SVC_API_UPTO_OPEN_PER_ACCOUNT',
      about:
        'Maximum number of confirmed up-to authorizations of one account and mode that a chain may still execute; twice as many where the payer of the next one has none open.',
      fallback: '10000',
    },
    1,
    10_000_000,
  ),
  streamsMax: wholeNumber(
    { name: 'SVC_API_STREAMS_MAX', about: 'Maximum number of open event streams of one process.', fallback: '1000' },
    0,
    100_000,
  ),
  streamsPerAddress: wholeNumber(
    {
      name: 'SVC_API_STREAMS_PER_ADDRESS',
      about:
        'Maximum number of open event streams of one client address over all processes; an IPv6 /64 counts as one address. Behind a proxy set `SVC_API_TRUSTED_PROXIES`; otherwise all clients share this limit.',
      fallback: '50',
    },
    1,
    100_000,
  ),
  streamsPerKey: wholeNumber(
    {
      name: 'SVC_API_STREAMS_PER_KEY',
      about:
        'Maximum number of open event streams of one API key over all processes; its account may have twice as many. Keep it well below `SVC_API_STREAMS_MAX`.',
      fallback: '400',
    },
    1,
    100_000,
  ),
  streamsPerIntent: wholeNumber(
    {
      name: 'SVC_API_STREAMS_PER_INTENT',
      about: 'Maximum number of open event streams of one intent in one process.',
      fallback: '20',
    },
    1,
    100_000,
  ),
  streamHeartbeatMs: wholeNumber(
    {
      name: 'SVC_API_STREAM_HEARTBEAT_MS',
      about: 'Pause between two heartbeat comments of an event stream.',
      fallback: '15000',
    },
    10,
    DAY_MS,
  ),
  streamPollMs: wholeNumber(
    {
      name: 'SVC_API_STREAM_POLL_MS',
      about: 'Pause between two reads of an intent that has open event streams. The poll covers lost notifications.',
      fallback: '5000',
    },
    10,
    DAY_MS,
  ),
  streamLifeMs: wholeNumber(
    {
      name: 'SVC_API_STREAM_LIFE_MS',
      about: 'Maximum life of an event stream. The client then connects again and the API checks its key again.',
      fallback: '900000',
    },
    10,
    DAY_MS,
  ),
  queueMs: wholeNumber(
    {
      name: 'SVC_API_QUEUE_MS',
      about:
        'Longest time that a request may have to wait for the requests before it, by the pace of the last seconds. A request that would wait longer is refused with 503 `service_unavailable`; one that asks about a payment that was accepted before is answered.',
      fallback: '10000',
    },
    1_000,
    600_000,
  ),
};
