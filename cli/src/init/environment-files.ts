// One environment file per program, with the settings that this program needs and no others. Secrets are named by file.
import path from 'node:path';
import { familyOf } from '@svc-pay/protocol';
import { sealKeyTextFrom } from '@svc-pay/runtime/config';
import type { InitChoices } from './choices.ts';
import { API_AT_EDGE, SETTLEMENT_HOSTS } from './compose.ts';
import { identityKeyOf } from './ed25519-keys.ts';
import {
  ARCHIVE_FOLDER,
  databaseSecretOf,
  IDENTITY_FILE,
  NETWORKS_FILE,
  PLACEHOLDER,
  type Program,
  SECRETS_FOLDER,
} from './folder-layout.ts';
import { evmKeyFiles, RECOVERY_FILE, solanaKeyFiles } from './key-files.ts';
import { type SecretFiles, secretOf } from './secrets.ts';

type Lines = Readonly<Record<string, string>>;

const TITLE: Readonly<Record<Program, string>> = {
  api: 'the API',
  settlement: 'settlement',
  webhooks: 'webhooks',
  admin: 'the admin service',
  console: 'the console',
  command: 'the operator’s command',
};

export function environmentFileText(program: Program, choices: InitChoices, secrets: SecretFiles): string {
  const lines = {
    api: apiLines,
    settlement: settlementLines,
    webhooks: webhooksLines,
    admin: adminLines,
    console: consoleLines,
    command: commandLines,
  }[program](choices, secrets);
  return [
    `# Settings of ${TITLE[program]}. Yours to edit: \`svc init\` does not change a file that exists.`,
    '# Every setting and its default: docs/reference/config.md.',
    ...Object.entries(lines).map(([name, value]) => `${name}=${value}`),
    '',
  ].join('\n');
}

const secretFile = ({ folder }: InitChoices, name: string) => path.join(folder, SECRETS_FOLDER, name);
const database = (choices: InitChoices, program: Program): Lines => ({
  SVC_DATABASE_URL_FILE: secretFile(choices, databaseSecretOf(program)),
});
const networks = ({ folder }: InitChoices): Lines => ({ SVC_NETWORKS_FILE: path.join(folder, NETWORKS_FILE) });
const archive = ({ folder }: InitChoices): Lines => ({ SVC_ARCHIVE_DIR: path.join(folder, ARCHIVE_FOLDER) });

/** Host of another program, as the programs of this form reach it. */
const hostOf = ({ form }: InitChoices, name: string) => (form === 'compose' ? name : '127.0.0.1');
const settlementHosts = ({ form }: InitChoices) => (form === 'compose' ? SETTLEMENT_HOSTS : ['127.0.0.1']);
/** Caddy asks every second. */
const STOP_DELAY_MS = '3000';
/** In a container a listener is reached by the containers of its networks alone. */
const bound = ({ form }: InitChoices, ...names: readonly string[]): Lines =>
  form === 'compose' ? Object.fromEntries(names.map((name) => [name, '0.0.0.0'])) : {};

function sealKey(secrets: SecretFiles): Lines {
  const text = sealKeyTextFrom(secretOf(secrets, 'master-keys'));
  if (text === undefined) throw new Error(`${SECRETS_FOLDER}/master-keys holds no master keys`);
  return { SVC_SEAL_KEY: text };
}

function engine(choices: InitChoices, secrets: SecretFiles): Lines {
  const identity = identityKeyOf(secretOf(secrets, IDENTITY_FILE));
  if (identity === undefined) throw new Error(`${SECRETS_FOLDER}/${IDENTITY_FILE} holds no Ed25519 key`);
  return {
    SVC_ENGINE_ADMIN_URL: `http://${hostOf(choices, 'restate')}:9070`,
    SVC_ENGINE_INGRESS_URL: `http://${hostOf(choices, 'restate')}:8080`,
    SVC_ENGINE_IDENTITY_KEYS: identity,
  };
}

function apiLines(choices: InitChoices, secrets: SecretFiles): Lines {
  return {
    ...database(choices, 'api'),
    SVC_KEY_PEPPER_FILE: secretFile(choices, 'key-pepper'),
    ...sealKey(secrets),
    ...networks(choices),
    SVC_ENGINE_INGRESS_URL: `http://${hostOf(choices, 'restate')}:8080`,
    SVC_SETTLEMENT_URL: settlementHosts(choices)
      .map((host) => `http://${host}:8403`)
      .join(','),
    SVC_INTERNAL_KEY_FILE: secretFile(choices, 'internal-key'),
    ...bound(choices, 'SVC_API_HOST', 'SVC_API_METRICS_HOST'),
    SVC_API_PORT: '8402',
    SVC_API_METRICS_PORT: '9402',
    SVC_API_PUBLIC_URL: choices.publicUrl,
    SVC_API_CORS_ORIGINS: choices.origins.join(','),
    SVC_API_TRUSTED_PROXIES: [...new Set([...choices.proxies, ...consoleAddress(choices)])].join(','),
    SVC_API_TRUSTED_HOPS: String(choices.hops),
    ...(choices.form === 'compose' && { SVC_API_STOP_DELAY_MS: STOP_DELAY_MS }),
  };
}

function settlementLines(choices: InitChoices, secrets: SecretFiles): Lines {
  const evm = evmKeyFiles(choices);
  const hasEvm = choices.chains.some(({ network }) => familyOf(network) === 'evm');
  const solana = solanaKeyFiles(choices);
  return {
    ...database(choices, 'settlement'),
    ...networks(choices),
    SVC_INTERNAL_KEYS_FILE: secretFile(choices, 'internal-keys'),
    ...(evm.length > 0 && {
      SVC_RELAYER_KEYSTORES: evm.filter((file) => !file.endsWith(RECOVERY_FILE)).join(','),
      SVC_RECOVERY_KEYSTORE: evm.filter((file) => file.endsWith(RECOVERY_FILE)).join(','),
      SVC_RELAYER_PASSWORD_FILE: secretFile(choices, 'relayer-password'),
    }),
    // Keys of a KMS: their names are the operator's to write.
    ...(evm.length === 0 && hasEvm && { SVC_RELAYER_KMS_KEYS: PLACEHOLDER }),
    ...(solana.length > 0 && { SVC_SOLANA_RELAYER_FILES: solana.join(',') }),
    ...archive(choices),
    ...bound(choices, 'SVC_SETTLEMENT_HOST', 'SVC_SETTLEMENT_ENGINE_HOST'),
    SVC_SETTLEMENT_PORT: '8403',
    SVC_SETTLEMENT_ENGINE_PORT: '9403',
    ...engine(choices, secrets),
  };
}

function webhooksLines(choices: InitChoices, secrets: SecretFiles): Lines {
  const live = choices.chains.some(({ mode }) => mode === 'live');
  return {
    ...database(choices, 'webhooks'),
    SVC_MASTER_KEYS_FILE: secretFile(choices, 'master-keys'),
    SVC_WEBHOOKS_MODES: live ? 'both' : 'test',
    ...bound(choices, 'SVC_WEBHOOKS_HOST', 'SVC_WEBHOOKS_ENGINE_HOST'),
    SVC_WEBHOOKS_PORT: '8404',
    SVC_WEBHOOKS_ENGINE_PORT: '9404',
    ...(choices.form === 'compose' && { SVC_WEBHOOKS_ENGINE_URL: 'http://webhooks:9404' }),
    ...engine(choices, secrets),
  };
}

function adminLines(choices: InitChoices, secrets: SecretFiles): Lines {
  return {
    ...database(choices, 'admin'),
    SVC_KEY_PEPPER_FILE: secretFile(choices, 'key-pepper'),
    ...sealKey(secrets),
    SVC_AUDIT_SIGNING_KEY_FILE: secretFile(choices, 'audit-signing-key'),
    ...bound(choices, 'SVC_ADMIN_HOST'),
    SVC_ADMIN_PORT: '8405',
  };
}

/** The API takes the address of a person from the console, as it takes that of a payer from a proxy. */
function consoleAddress({ consoleUrl, form, subnet }: InitChoices): readonly string[] {
  if (consoleUrl === undefined) return [];
  return [form === 'compose' ? subnet.console : '127.0.0.1'];
}

/** The console is a client of the API and the admin service, and holds no secret but its login. */
function consoleLines(choices: InitChoices): Lines {
  return {
    ...database(choices, 'console'),
    SVC_CONSOLE_URL: choices.consoleUrl ?? PLACEHOLDER,
    SVC_API_URL: `http://${hostOf(choices, API_AT_EDGE)}:8402`,
    SVC_ADMIN_URL: `http://${hostOf(choices, 'admin')}:8405`,
    ...bound(choices, 'SVC_CONSOLE_HOST', 'SVC_CONSOLE_METRICS_HOST'),
    SVC_CONSOLE_PORT: '8406',
    SVC_CONSOLE_METRICS_PORT: '8407',
    SVC_CONSOLE_TRUSTED_PROXIES: choices.proxies.join(','),
  };
}

function commandLines(choices: InitChoices): Lines {
  return {
    ...database(choices, 'command'),
    SVC_KEY_PEPPER_FILE: secretFile(choices, 'key-pepper'),
    SVC_MASTER_KEYS_FILE: secretFile(choices, 'master-keys'),
    SVC_AUDIT_SIGNING_KEY_FILE: secretFile(choices, 'audit-signing-key'),
    ...networks(choices),
    ...archive(choices),
    // For the links of `people invite` and `people recover`.
    ...(choices.consoleUrl !== undefined && { SVC_CONSOLE_URL: choices.consoleUrl }),
  };
}
