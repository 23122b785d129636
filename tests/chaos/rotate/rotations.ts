// Every secret of an installation, and what replaces it. `tests/house/secret-rotations.test.ts` compares the list with the files
// of `svc init`, with all settings and with the page; the drills have a function for each of their steps.

/** Steps of each drill, in the order in which they run. */
export const DRILLS = {
  services: ['internal key', 'pepper', 'master key', 'engine identity', 'audit signing key', 'operator’s key'],
  merchants: ['secret key of a merchant', 'publishable key', 'secret of a webhook endpoint'],
  logins: [
    'database login of the API',
    'database login of settlement',
    'database login of webhooks',
    'database login of admin',
    'database login of the command',
    'superuser’s password',
  ],
  relayers: ['key in an RPC address', 'keystore password', 'recovery key', 'EVM relayer key', 'Solana relayer key'],
} as const;

export type StepsOf<Drill extends keyof typeof DRILLS, Step> = Readonly<Record<(typeof DRILLS)[Drill][number], Step>>;

export type Rotation = {
  /** By step of a drill, or why no drill replaces it. */
  readonly by: (typeof DRILLS)[keyof typeof DRILLS][number] | { readonly outside: string };
  /** Files that `svc init` writes, settings, and sealed columns of the database that hold it. */
  readonly files?: readonly string[];
  readonly settings?: readonly string[];
  readonly columns?: readonly string[];
};

const login = (by: Extract<Rotation['by'], string>, file: string): Rotation => ({ by, files: [file] });

export const ROTATIONS: readonly Rotation[] = [
  {
    by: 'internal key',
    files: ['internal-key', 'internal-keys'],
    settings: ['SVC_INTERNAL_KEY', 'SVC_INTERNAL_KEYS'],
  },
  { by: 'pepper', files: ['key-pepper'], settings: ['SVC_KEY_PEPPER'] },
  { by: 'master key', files: ['master-keys'], settings: ['SVC_MASTER_KEYS'] },
  { by: 'engine identity', files: ['engine-identity.pem'] },
  { by: 'audit signing key', files: ['audit-signing-key'], settings: ['SVC_AUDIT_SIGNING_KEY'] },
  { by: 'operator’s key', settings: ['SVC_OPERATOR_KEY'] },
  {
    by: 'secret key of a merchant',
    settings: ['SVC_SECRET_KEY', 'SVC_REHEARSE_DIRECT_KEY'],
    columns: ['api_keys.ciphertext'],
  },
  { by: 'publishable key' },
  {
    by: 'secret of a webhook endpoint',
    columns: ['endpoints.secret_ciphertext', 'endpoints.previous_secret_ciphertext'],
  },
  {
    by: {
      outside: 'headers that a merchant chose for its receiver: the merchant replaces them by PATCH of the endpoint',
    },
    columns: ['endpoints.headers_ciphertext'],
  },
  login('database login of the API', 'database-url-api'),
  login('database login of settlement', 'database-url-settlement'),
  login('database login of webhooks', 'database-url-webhooks'),
  login('database login of admin', 'database-url-admin'),
  {
    by: 'database login of the command',
    files: ['database-url-command'],
    settings: ['SVC_DATABASE_URL', 'SVC_TARGET_DATABASE_URL'],
  },
  { by: 'superuser’s password', files: ['postgres-password'] },
  { by: 'key in an RPC address', settings: ['SVC_RPC_URL', 'SVC_NETWORKS', 'SVC_NETWORKS_FILE'] },
  { by: 'keystore password', files: ['relayer-password'], settings: ['SVC_RELAYER_PASSWORD_FILE'] },
  { by: 'recovery key', files: ['recovery.json'], settings: ['SVC_RECOVERY_KEYSTORE', 'SVC_RECOVERY_TEST_KEY'] },
  { by: 'EVM relayer key', files: ['evm-1.json'], settings: ['SVC_RELAYER_KEYSTORES', 'SVC_RELAYER_TEST_KEYS'] },
  {
    by: {
      outside: 'a relayer key in AWS KMS: the steps of an EVM relayer key; there is no KMS to run a drill against',
    },
    settings: ['SVC_RELAYER_KMS_KEYS'],
  },
  {
    by: 'Solana relayer key',
    files: ['solana-1.json'],
    settings: ['SVC_SOLANA_RELAYER_FILES', 'SVC_SOLANA_RELAYER_TEST_KEYS'],
  },
  {
    by: { outside: 'the wallet of a buyer: its owner moves the money to another wallet' },
    settings: ['SVC_AGENT_KEY'],
  },
];

/** Settings that sound like a secret and hold none, and why. */
export const NO_SECRETS: Readonly<Record<string, string>> = {
  SVC_SEAL_KEY: 'public half of the master key',
  SVC_ENGINE_IDENTITY_KEYS: 'public halves of the engine identity',
  SVC_AUDIT_PUBLIC_KEY: 'public halves of audit signing keys',
  SVC_API_STREAMS_PER_KEY: 'a number',
  SVC_REHEARSE_DIRECT_KEY_FILE: 'the file of SVC_REHEARSE_DIRECT_KEY',
};
