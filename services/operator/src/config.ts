// What the operator's command takes from the environment: secrets never come as arguments, where every user of the
// machine could read them. Each command asks for what it needs and no more.
import { userInfo } from 'node:os';
import {
  base64Bytes,
  type Environment,
  httpUrl,
  masterKeys,
  optional,
  postgresUrl,
  readSettings,
  secret,
  text,
  type ValuesOf,
} from '@svc-pay/config';
import { chosenNetworks, networksFile, networksJson, type OperatedNetworks } from '@svc-pay/config/networks';

export const OPERATOR_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({ name: 'SVC_DATABASE_URL', about: 'The database of record, without a pooler between.' }),
  ),
  keyPepper: secret(
    base64Bytes({ name: 'SVC_KEY_PEPPER', about: 'Finds API keys without storing them; the same for ever.' }, 32),
  ),
  masterKeys: secret(masterKeys({ name: 'SVC_MASTER_KEYS', about: 'Seal secret keys at rest.' })),
  rpcUrl: secret(
    httpUrl({
      name: 'SVC_RPC_URL',
      about: 'Node of the chain that `contracts` and the registrar work on; it may carry a key.',
    }),
  ),
  networks: optional(networksJson({ name: 'SVC_NETWORKS', about: 'What runs on each network, keyed by CAIP-2.' })),
  networksFile: optional(
    networksFile({ name: 'SVC_NETWORKS_FILE', about: 'The same as a file; either this or `SVC_NETWORKS`.' }),
  ),
  operator: optional(
    text({ name: 'SVC_OPERATOR', about: 'Who works here, for the audit record. Absent: the user of the machine.' }),
  ),
};

type All = ValuesOf<typeof OPERATOR_SETTINGS>;
/** Settings that a command may need; the rest is read for every command. */
export type Need = 'databaseUrl' | 'keyPepper' | 'masterKeys' | 'rpcUrl';

export type OperatorConfig<Needed extends Need = never> = Readonly<Pick<All, Needed>> & {
  readonly networks: OperatedNetworks;
  /** `operator:<name>`, as the audit record spells it. */
  readonly actor: string;
};

export type ReadConfig<Needed extends Need> =
  | { readonly ok: true; readonly config: OperatorConfig<Needed> }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Every problem at once, by the variable's name and never by its value. */
export function readOperatorConfig<Needed extends Need>(
  needs: readonly Needed[],
  environment: Environment,
): ReadConfig<Needed> {
  const { networks, networksFile, operator } = OPERATOR_SETTINGS;
  const needed = Object.fromEntries(needs.map((need) => [need, OPERATOR_SETTINGS[need]]));
  const read = readSettings({ ...needed, networks, networksFile, operator }, environment);
  if (!read.ok) return read;
  const values = read.values as Readonly<Pick<All, Needed | 'networks' | 'networksFile' | 'operator'>>;
  const chosen = chosenNetworks(values);
  if (chosen.problems.length > 0) return { ok: false, problems: chosen.problems };
  const config: OperatorConfig<Needed> = Object.freeze({
    ...values,
    networks: chosen.networks,
    actor: `operator:${values.operator ?? userOfMachine()}`,
  });
  return { ok: true, config };
}

/** A container may run as a number without a name. */
function userOfMachine(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Read once, by whoever is started as a process. */
export function ownEnvironment(): Environment {
  return { ...process.env };
}

/** For processes that this one starts: our own environment and what is to be different in it. */
export function environmentWith(changes: Environment): NodeJS.ProcessEnv {
  return { ...process.env, ...changes };
}
