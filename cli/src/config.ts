// Settings of the operator's command. Secrets are never arguments, which every user of the machine could read. Each
// command requires only the settings that it needs.
import { userInfo } from 'node:os';
import { isId } from '@svc-pay/protocol/ids';
import {
  ARCHIVE_SETTINGS,
  AUDIT_SIGNING_KEY,
  base64Keys,
  type Environment,
  httpUrl,
  keyPeppers,
  masterKeys,
  optional,
  PAYOUT_SETTINGS,
  postgresUrl,
  readSettings,
  secret,
  text,
  type ValuesOf,
} from '@svc-pay/runtime/config';
import { chosenNetworks, networksFile, networksJson, type OperatedNetworks } from '@svc-pay/runtime/config/networks';

export const OPERATOR_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({
      name: 'SVC_DATABASE_URL',
      about:
        'PostgreSQL database of the installation. Connect directly: a connection pooler between breaks migrations and locks.',
    }),
  ),
  targetDatabaseUrl: secret(
    postgresUrl({
      name: 'SVC_TARGET_DATABASE_URL',
      about: 'PostgreSQL database of the cell that `accounts move` moves an account to, as its owner.',
    }),
  ),
  keyPeppers: secret(
    keyPeppers({
      name: 'SVC_KEY_PEPPER',
      about:
        'Secret that hashes API keys and operators’ keys before they are stored. Replace it only by the steps of docs/operate/rotate-secrets.md: without them every key stops working.',
    }),
  ),
  masterKeys: secret(
    masterKeys({ name: 'SVC_MASTER_KEYS', about: 'Master keys that encrypt secret keys in the database.' }),
  ),
  rpcUrl: secret(
    httpUrl({
      name: 'SVC_RPC_URL',
      about:
        'RPC node of the chain that the `contracts` and `payouts` commands work on. The address may contain a key.',
    }),
  ),
  networks: optional(
    networksJson({ name: 'SVC_NETWORKS', about: 'Networks of the installation, keyed by CAIP-2 name.' }),
  ),
  networksFile: optional(
    networksFile({
      name: 'SVC_NETWORKS_FILE',
      about: 'File with the value of `SVC_NETWORKS`. Set either this or `SVC_NETWORKS`.',
    }),
  ),
  ...PAYOUT_SETTINGS,
  archiveDir: ARCHIVE_SETTINGS.archiveDir,
  operator: optional(
    text({
      name: 'SVC_OPERATOR',
      about:
        'Name of the operator in the audit record, if no `SVC_OPERATOR_KEY` is shown. Absent: the user name on this machine.',
    }),
  ),
  operatorKey: optional(
    secret(
      text({
        name: 'SVC_OPERATOR_KEY',
        about:
          'Key of the operator, `opk_…`. The admin API requires it; on the database the change is recorded under the operator’s id.',
      }),
    ),
  ),
  auditSigningKey: AUDIT_SIGNING_KEY,
  auditPublicKeys: optional(
    base64Keys({
      name: 'SVC_AUDIT_PUBLIC_KEY',
      about:
        'Public half of `SVC_AUDIT_SIGNING_KEY`, as `npm run svc -- audit export-head` prints it (`signedBy`), and after a rotation those of earlier keys behind it, the newest first: `audit verify` trusts these keys, and an earlier one only before the first export of a later one. Absent: it trusts that of `SVC_AUDIT_SIGNING_KEY`.',
    }),
  ),
  adminUrl: optional(
    httpUrl({
      name: 'SVC_ADMIN_URL',
      about:
        'Address of the admin service. If set, `accounts`, `keys`, `payouts list` and `payouts disable` call it and need no database.',
    }),
  ),
  consoleUrl: optional(
    httpUrl({
      name: 'SVC_CONSOLE_URL',
      about: 'Origin at which people open the console. `people invite` and `people recover` make links to it.',
    }),
  ),
};

type All = ValuesOf<typeof OPERATOR_SETTINGS>;
/** Settings that only some commands need; all others are read for every command. */
export type Need = 'databaseUrl' | 'targetDatabaseUrl' | 'keyPeppers' | 'masterKeys' | 'rpcUrl';

export type OperatorConfig<Needed extends Need = never> = Readonly<Pick<All, Needed>> & {
  readonly networks: OperatedNetworks;
  readonly payoutApprovers: readonly string[] | undefined;
  readonly payoutDelayHours: number;
  readonly archiveDir: string | undefined;
  readonly operatorKey: string | undefined;
  readonly adminUrl: string | undefined;
  readonly consoleUrl: string | undefined;
  readonly auditSigningKey: Uint8Array | undefined;
  readonly auditPublicKeys: readonly Uint8Array[] | undefined;
  /** `operator:<name>`, as written to the audit record unless a key is shown. */
  readonly actor: string;
};

export type ReadOperatorConfig<Needed extends Need> =
  | { readonly ok: true; readonly config: OperatorConfig<Needed> }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reports all problems together, by the name of the variable and never by its value. */
export function readOperatorConfig<Needed extends Need>(
  needs: readonly Needed[],
  environment: Environment,
): ReadOperatorConfig<Needed> {
  const { databaseUrl, targetDatabaseUrl, keyPeppers, masterKeys, rpcUrl, ...always } = OPERATOR_SETTINGS;
  const onNeed = { databaseUrl, targetDatabaseUrl, keyPeppers, masterKeys, rpcUrl } satisfies Record<Need, unknown>;
  const needed = Object.fromEntries(needs.map((need) => [need, onNeed[need]]));
  const read = readSettings({ ...needed, ...always }, environment);
  if (!read.ok) return read;
  const values = read.values as Readonly<Pick<All, Needed | keyof typeof always>>;
  const chosen = chosenNetworks(values);
  if (chosen.problems.length > 0) return { ok: false, problems: chosen.problems };
  // An id is proved by its key.
  if (isId('operator', values.operator))
    return { ok: false, problems: ['SVC_OPERATOR takes a name: show the key of the operator in SVC_OPERATOR_KEY'] };
  if (values.adminUrl !== undefined && !isSafeForKeys(values.adminUrl))
    return {
      ok: false,
      problems: ['SVC_ADMIN_URL needs https: the operator’s key is sent to it (http only on loopback)'],
    };
  const config: OperatorConfig<Needed> = Object.freeze({
    ...values,
    networks: chosen.networks,
    actor: `operator:${values.operator ?? userOfMachine()}`,
  });
  return { ok: true, config };
}

/** Nobody on the way can read what is sent. */
function isSafeForKeys(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** In a container the user id may have no name. */
function userOfMachine(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Copy of the process environment; read once by the entry point. */
export function ownEnvironment(): Environment {
  return { ...process.env };
}
