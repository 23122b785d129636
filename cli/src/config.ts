// Settings of the operator's command. Secrets are never arguments, which every user of the machine could read. Each
// command requires only the settings that it needs.
import { userInfo } from 'node:os';
import {
  base64Bytes,
  type Environment,
  httpUrl,
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
  keyPepper: secret(
    base64Bytes(
      {
        name: 'SVC_KEY_PEPPER',
        about:
          'Secret that hashes API keys before they are stored. Never change it: every API key stops working after a change.',
      },
      32,
    ),
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
  operator: optional(
    text({
      name: 'SVC_OPERATOR',
      about: 'Name of the operator in the audit record. Absent: the user name on this machine.',
    }),
  ),
};

type All = ValuesOf<typeof OPERATOR_SETTINGS>;
/** Settings that only some commands need; all others are read for every command. */
export type Need = 'databaseUrl' | 'keyPepper' | 'masterKeys' | 'rpcUrl';

export type OperatorConfig<Needed extends Need = never> = Readonly<Pick<All, Needed>> & {
  readonly networks: OperatedNetworks;
  readonly payoutApprovers: readonly string[] | undefined;
  readonly payoutDelayHours: number;
  /** `operator:<name>`, as written to the audit record. */
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
  const { networks, networksFile, operator, payoutApprovers, payoutDelayHours } = OPERATOR_SETTINGS;
  const needed = Object.fromEntries(needs.map((need) => [need, OPERATOR_SETTINGS[need]]));
  const always = { networks, networksFile, operator, payoutApprovers, payoutDelayHours };
  const read = readSettings({ ...needed, ...always }, environment);
  if (!read.ok) return read;
  const values = read.values as Readonly<Pick<All, Needed | keyof typeof always>>;
  const chosen = chosenNetworks(values);
  if (chosen.problems.length > 0) return { ok: false, problems: chosen.problems };
  const config: OperatorConfig<Needed> = Object.freeze({
    ...values,
    networks: chosen.networks,
    actor: `operator:${values.operator ?? userOfMachine()}`,
  });
  return { ok: true, config };
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
