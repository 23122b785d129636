// All settings of settlement: name, form, default and description. The settings page is generated from this list.

import {
  ARCHIVE_SETTINGS,
  commaList,
  ENGINE_SETTINGS,
  httpUrl,
  logLevel,
  optional,
  PAYOUT_SETTINGS,
  postgresUrl,
  secret,
  text,
  wholeNumber,
} from '@svc-pay/runtime/config';
import { networksFile, networksJson } from '@svc-pay/runtime/config/networks';

const PORT_MAX = 65_535;
const MINUTE_MS = 60_000;
export const INTERNAL_KEY_MIN = 32;
/** Longer than any intent and any refused authorization lives. */
const UNPAID_DAYS_MIN = 8;

export const SETTLEMENT_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({
      name: 'SVC_DATABASE_URL',
      about: 'PostgreSQL database of the installation, as a role of group `svc_settlement`.',
    }),
  ),
  databasePool: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_DATABASE_POOL',
      about: 'Maximum number of database connections of one process.',
      fallback: '10',
    },
    2,
    1_000,
  ),
  networks: optional(
    networksJson({
      name: 'SVC_NETWORKS',
      about: 'Networks of the installation, keyed by CAIP-2 name. Settlement works on each network that has `rpcUrls`.',
    }),
  ),
  networksFile: optional(
    networksFile({
      name: 'SVC_NETWORKS_FILE',
      about: 'File with the value of `SVC_NETWORKS`. Set either this or `SVC_NETWORKS`.',
    }),
  ),
  relayerKeystores: optional(
    commaList({
      name: 'SVC_RELAYER_KEYSTORES',
      about: 'Encrypted keystore files (Web3 Secret Storage, version 3), one per EVM relayer key.',
    }),
  ),
  relayerPasswordFile: optional(
    text({
      name: 'SVC_RELAYER_PASSWORD_FILE',
      about:
        'File whose first line is the password of all keystores in `SVC_RELAYER_KEYSTORES` and `SVC_RECOVERY_KEYSTORE`.',
    }),
  ),
  relayerKmsKeys: optional(
    commaList({
      name: 'SVC_RELAYER_KMS_KEYS',
      about:
        'Full ARNs of AWS KMS keys (ECC_SECG_P256K1, sign and verify), one per EVM relayer. The AWS SDK finds the credentials in its usual places.',
    }),
  ),
  relayerTestKeys: optional(
    secret(
      commaList({
        name: 'SVC_RELAYER_TEST_KEYS',
        about:
          'Private keys of EVM relayers in 0x-hex, for test networks. The process does not start if a live network is configured too.',
      }),
    ),
  ),
  solanaRelayerFiles: optional(
    commaList({
      name: 'SVC_SOLANA_RELAYER_FILES',
      about:
        'Files with Solana relayer keys: the 32 secret bytes, or the output of `solana-keygen`. Only the user of this process may read them.',
    }),
  ),
  solanaRelayerTestKeys: optional(
    secret(
      commaList({
        name: 'SVC_SOLANA_RELAYER_TEST_KEYS',
        about:
          'Secret keys of Solana relayers (32 bytes in 0x-hex), for test networks. The process does not start if a live network is configured too.',
      }),
    ),
  ),
  recoveryKeystore: optional(
    text({
      name: 'SVC_RECOVERY_KEYSTORE',
      about:
        'Encrypted keystore file of the recovery key, with the password from `SVC_RELAYER_PASSWORD_FILE`. Absent: settlement finds stranded money, but neither settles nor returns it.',
    }),
  ),
  recoveryTestKey: optional(
    secret(
      text({
        name: 'SVC_RECOVERY_TEST_KEY',
        about:
          'Private key of the recovery key in 0x-hex, for test networks. The process does not start if a live network is configured too.',
      }),
    ),
  ),
  ...PAYOUT_SETTINGS,
  ...ARCHIVE_SETTINGS,
  internalKeys: secret(
    commaList({
      name: 'SVC_INTERNAL_KEYS',
      about: `Keys that the internal listener accepts, each of ${INTERNAL_KEY_MIN} characters or more. List the old and the new key during a rotation.`,
    }),
  ),
  host: text({
    name: 'SVC_SETTLEMENT_HOST',
    about: 'Address that the internal listener binds. Keep it off the internet.',
    fallback: '127.0.0.1',
  }),
  port: wholeNumber(
    { name: 'SVC_SETTLEMENT_PORT', about: 'Port of the internal listener; 0 takes a free one.', fallback: '8403' },
    0,
    PORT_MAX,
  ),
  engineHost: text({
    name: 'SVC_SETTLEMENT_ENGINE_HOST',
    about: 'Address of the listener that Restate calls. Bind it to a private network only.',
    fallback: '127.0.0.1',
  }),
  enginePort: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_ENGINE_PORT',
      about:
        'Port of the listener that Restate calls; 0 takes a free one. Keep it fixed: after a change running work pauses for about 90 seconds.',
      fallback: '9403',
    },
    0,
    PORT_MAX,
  ),
  engineOwnUrl: optional(
    httpUrl({
      name: 'SVC_SETTLEMENT_ENGINE_URL',
      about:
        'Address under which Restate reaches this process, if it differs from the host and port of the listener (NAT, container).',
    }),
  ),
  ...ENGINE_SETTINGS,
  rpcTimeoutMs: wholeNumber(
    { name: 'SVC_SETTLEMENT_RPC_TIMEOUT_MS', about: 'Timeout of one request to an RPC node.', fallback: '10000' },
    100,
    MINUTE_MS,
  ),
  pollMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_POLL_MS',
      about: 'Pause between two polls of a lane for receipts and queued payments.',
      fallback: '100',
    },
    10,
    MINUTE_MS,
  ),
  gatherMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_GATHER_MS',
      about:
        'Longest wait before a partial batch is sent, per pending transaction of the lane. A batch that is full by its gas does not wait, and from 16 payments and a tenth of the gas on a fuller batch waits less. A longer wait makes larger batches.',
      fallback: '200',
    },
    0,
    MINUTE_MS,
  ),
  maxInFlight: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_MAX_IN_FLIGHT',
      about: 'Maximum number of pending transactions of one lane.',
      fallback: '16',
    },
    1,
    64,
  ),
  resendMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_RESEND_MS',
      about: 'Time after which a transaction that is not mined is broadcast again, unchanged.',
      fallback: '5000',
    },
    100,
    10 * MINUTE_MS,
  ),
  linkMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_LINK_MS',
      about:
        'Time after which a payment that has no result yet names the transaction that was sent for it, with `payment.created`. A payment that has its result earlier names the transaction then. 0: as soon as it is sent, which writes two more row versions for every payment.',
      fallback: '2000',
    },
    0,
    MINUTE_MS,
  ),
  bumpMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_BUMP_MS',
      about:
        'Time after which a transaction that is not mined gets a fee bump: a replacement with the same nonce and a higher fee.',
      fallback: '30000',
    },
    100,
    10 * MINUTE_MS,
  ),
  maxFeeGwei: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_MAX_FEE_GWEI',
      about: 'Maximum fee per unit of gas, tip included. `maxFeeGwei` of a network overrides it.',
      fallback: '500',
    },
    1,
    1_000_000,
  ),
  stuckMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_STUCK_MS',
      about:
        'Time after which a network counts as stuck. The API does not offer a network while a payment has been queued, or the transactions of all lanes have been pending, for longer.',
      fallback: '60000',
    },
    1_000,
    60 * MINUTE_MS,
  ),
  restMs: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_REST_MS',
      about:
        'Longest time between two runs of a watcher that has nothing to do. Each second one statement looks for work and wakes the watchers that have some; this time counts when that look is lost. 0: every watcher runs at its own pace, also when there is nothing to do.',
      fallback: '300000',
    },
    0,
    5 * MINUTE_MS,
  ),
  readerEveryMs: wholeNumber(
    {
      name: 'SVC_READER_EVERY_MS',
      about: 'Time between two runs of the chain reader of a network. Each run asks every RPC endpoint.',
      fallback: '10000',
    },
    100,
    MINUTE_MS,
  ),
  readerClaimMs: wholeNumber(
    {
      name: 'SVC_READER_CLAIM_MS',
      about:
        'Time for which a block must have been final before the chain reader passes it for a token with direct payments. Keep it longer than the API takes from the verification of a signature to its claim.',
      fallback: '60000',
    },
    0,
    60 * MINUTE_MS,
  ),
  gasLossHourUsd: wholeNumber(
    {
      name: 'SVC_GAS_LOSS_HOUR_USD',
      about:
        'Dollars of gas that relayers may lose on one network within an hour, or one in a hundred of what settled payments cost there, if that is more. Beyond it contract wallets that never paid are refused. An account and a code may lose a quarter of it, a payer a tenth of the dollars.',
      fallback: '10',
    },
    1,
    1_000_000,
  ),
  gasLossDayUsd: wholeNumber(
    {
      name: 'SVC_GAS_LOSS_DAY_USD',
      about: 'The same within a day.',
      fallback: '50',
    },
    1,
    10_000_000,
  ),
  lowFloat: wholeNumber(
    {
      name: 'SVC_SETTLEMENT_LOW_FLOAT',
      about:
        'Number of full transactions that a relayer’s balance must pay for. Below it the relayer’s condition is `low`.',
      fallback: '50',
    },
    1,
    100_000,
  ),
  unpaidDays: wholeNumber(
    {
      name: 'SVC_UNPAID_INTENT_DAYS',
      about:
        'Days after which an intent leaves the database that nobody tried to pay. What a late payment is judged by stays for ever.',
      fallback: '30',
    },
    UNPAID_DAYS_MIN,
    3_650,
  ),
  logLevel,
};
