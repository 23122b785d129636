// Settings of the settlement service. Settlement is the only process that is given relayer keys.

import {
  archiveProblems,
  type Environment,
  readSettings,
  secretFileProblem,
  type ValuesOf,
} from '@svc-pay/runtime/config';
import {
  chosenNetworks,
  isEvm,
  isSolana,
  liveNetworkOf,
  type OperatedNetworks,
} from '@svc-pay/runtime/config/networks';
import { INTERNAL_KEY_MIN, SETTLEMENT_SETTINGS } from './settings.ts';

export { SETTLEMENT_SETTINGS } from './settings.ts';

export type SettlementConfig = Omit<ValuesOf<typeof SETTLEMENT_SETTINGS>, 'networks' | 'networksFile'> & {
  readonly networks: OperatedNetworks;
};

export type ReadSettlementConfig =
  | { readonly ok: true; readonly config: SettlementConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readSettlementConfig(environment: Environment = process.env): ReadSettlementConfig {
  const read = readSettings(SETTLEMENT_SETTINGS, environment);
  if (!read.ok) return read;
  const { networks: given, networksFile, ...rest } = read.values;
  const chosen = chosenNetworks({ networks: given, networksFile });
  const { networks } = chosen;
  const problems = [
    ...chosen.problems,
    ...relayerProblems(rest, networks),
    ...fileProblems(rest, environment['CREDENTIALS_DIRECTORY']),
    ...solanaProblems(rest, networks),
    ...recoveryProblems(rest, networks),
    ...identityProblems(rest, networks),
    ...archiveProblems(rest),
    ...(rest.internalKeys.length === 0 || rest.internalKeys.some((key) => key.length < INTERNAL_KEY_MIN)
      ? [`SVC_INTERNAL_KEYS: each key has ${INTERNAL_KEY_MIN} characters or more`]
      : []),
  ];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: Object.freeze({ ...rest, networks }) };
}

/** Whoever reaches the engine's port could otherwise start lanes and jobs. */
function identityProblems(
  { engineIdentityKeys = [] }: Pick<SettlementConfig, 'engineIdentityKeys'>,
  networks: OperatedNetworks,
): string[] {
  const live = liveNetworkOf(networks);
  if (live === undefined || engineIdentityKeys.length > 0) return [];
  return [`SVC_ENGINE_IDENTITY_KEYS is required beside ${live}: the public key that Restate prints at its start`];
}

export type RelayerSettings = Pick<
  SettlementConfig,
  'relayerKeystores' | 'relayerPasswordFile' | 'relayerKmsKeys' | 'relayerTestKeys'
>;

/** Full ARN: the KMS client needs the region in it. */
const KMS_KEY = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/;

function relayerProblems(
  { relayerKeystores, relayerPasswordFile, relayerKmsKeys, relayerTestKeys }: RelayerSettings,
  networks: OperatedNetworks,
): string[] {
  const realKeys = relayerKeystores !== undefined || relayerKmsKeys !== undefined;
  if (realKeys && relayerTestKeys !== undefined) {
    return ['SVC_RELAYER_TEST_KEYS is given beside keystores or KMS keys; use one kind'];
  }
  if (realKeys) {
    return [
      ...(relayerKeystores !== undefined && relayerPasswordFile === undefined
        ? ['SVC_RELAYER_PASSWORD_FILE is required beside the keystores']
        : []),
      ...(relayerKmsKeys?.every((key) => KMS_KEY.test(key)) === false
        ? ['SVC_RELAYER_KMS_KEYS: each is the full ARN of a key']
        : []),
    ];
  }
  const others = networks.size === 0 || [...networks.values()].some(isEvm);
  if (relayerTestKeys === undefined && !others) return [];
  if (relayerTestKeys === undefined) return ['SVC_RELAYER_KEYSTORES or SVC_RELAYER_KMS_KEYS is required'];
  if (!relayerTestKeys.every((key) => /^0x[0-9a-fA-F]{64}$/.test(key))) {
    return ['SVC_RELAYER_TEST_KEYS: each key is 32 bytes in 0x-hex'];
  }
  const live = liveNetworkOf(networks);
  return live === undefined ? [] : [`SVC_RELAYER_TEST_KEYS is refused beside ${live}: use keystores`];
}

type KeyFiles = Pick<SettlementConfig, 'relayerPasswordFile' | 'solanaRelayerFiles'>;

/** These files hold keys as they are; a keystore is encrypted. */
function fileProblems({ relayerPasswordFile, solanaRelayerFiles = [] }: KeyFiles, credentials?: string): string[] {
  const problems = [
    ...(relayerPasswordFile === undefined ? [] : [['SVC_RELAYER_PASSWORD_FILE', relayerPasswordFile] as const]),
    ...solanaRelayerFiles.map((file) => ['SVC_SOLANA_RELAYER_FILES', file] as const),
  ].flatMap(([name, file]) => {
    const problem = secretFileProblem(file, credentials);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  return [...new Set(problems)];
}

type SolanaSettings = Pick<SettlementConfig, 'solanaRelayerFiles' | 'solanaRelayerTestKeys'>;

function solanaProblems(
  { solanaRelayerFiles, solanaRelayerTestKeys }: SolanaSettings,
  networks: OperatedNetworks,
): string[] {
  if (solanaRelayerFiles !== undefined && solanaRelayerTestKeys !== undefined) {
    return ['SVC_SOLANA_RELAYER_FILES and SVC_SOLANA_RELAYER_TEST_KEYS are both given; use one kind'];
  }
  const settled = [...networks.values()].some((setup) => isSolana(setup) && (setup.rpcUrls?.length ?? 0) > 0);
  if (solanaRelayerTestKeys === undefined) {
    const missing = settled && solanaRelayerFiles === undefined;
    return missing ? ['SVC_SOLANA_RELAYER_FILES is required: a Solana network has rpcUrls'] : [];
  }
  if (!solanaRelayerTestKeys.every((key) => /^0x[0-9a-fA-F]{64}$/.test(key))) {
    return ['SVC_SOLANA_RELAYER_TEST_KEYS: each key is 32 bytes in 0x-hex'];
  }
  const live = liveNetworkOf(networks);
  return live === undefined ? [] : [`SVC_SOLANA_RELAYER_TEST_KEYS is refused beside ${live}: use files`];
}

type RecoverySettings = Pick<SettlementConfig, 'recoveryKeystore' | 'recoveryTestKey' | 'relayerPasswordFile'>;

function recoveryProblems(
  { recoveryKeystore, recoveryTestKey, relayerPasswordFile }: RecoverySettings,
  networks: OperatedNetworks,
): string[] {
  if (recoveryKeystore !== undefined && recoveryTestKey !== undefined) {
    return ['SVC_RECOVERY_KEYSTORE and SVC_RECOVERY_TEST_KEY are both given; one is enough'];
  }
  if (recoveryKeystore !== undefined && relayerPasswordFile === undefined) {
    return ['SVC_RELAYER_PASSWORD_FILE is required beside SVC_RECOVERY_KEYSTORE'];
  }
  if (recoveryTestKey === undefined) return [];
  if (!/^0x[0-9a-fA-F]{64}$/.test(recoveryTestKey)) return ['SVC_RECOVERY_TEST_KEY: a key is 32 bytes in 0x-hex'];
  const live = liveNetworkOf(networks);
  return live === undefined ? [] : [`SVC_RECOVERY_TEST_KEY is refused beside ${live}: use a keystore`];
}
