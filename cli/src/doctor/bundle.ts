// Support bundle to hand to somebody else: findings and configuration, without any secret.
import { readFileSync, statSync } from 'node:fs';
import { type Environment, fileNameOf } from '@svc-pay/runtime/config';
import type { OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { SERVICE_SETTINGS } from '@svc-pay/runtime/config/service-settings';
import { OPERATOR_SETTINGS } from '../config.ts';
import type { Finding } from './finding.ts';
import { listOf } from './installation.ts';
import { shownHost } from './json-rpc.ts';

export type BundleInput = {
  readonly findings: readonly Finding[];
  readonly environment: Environment;
  /** Of all programs of the folder: none of their secrets may be in the report. */
  readonly others?: readonly Environment[];
  readonly networks: OperatedNetworks;
  readonly generatedAt: string;
  readonly machine: Readonly<Record<string, string>>;
};

/** Throws if the text would contain a secret. */
export function bundleText({
  findings,
  environment,
  others = [],
  networks,
  generatedAt,
  machine,
}: BundleInput): string {
  const settings = Object.values(OPERATOR_SETTINGS).map(({ name }) => [
    name,
    Boolean(environment[name] || environment[fileNameOf(name)]),
  ]);
  const bundle = {
    generatedAt,
    machine,
    settings: Object.fromEntries(settings.map(([name, given]) => [name, given ? 'set' : 'absent'])),
    networks: Object.fromEntries(
      [...networks].map(([network, { ready, rpcUrls = [], ...setup }]) => [
        network,
        {
          ...('processor' in setup
            ? { processor: setup.processor, processorVersion: setup.processorVersion }
            : 'feeAccount' in setup && { feeAccount: setup.feeAccount }),
          ready,
          rpcHosts: rpcUrls.map(shownHost),
        },
      ]),
    ),
    findings,
  };
  const text = `${JSON.stringify(bundle, null, 2)}\n`;
  const leaked = secretTexts([environment, ...others], networks).some((secret) => text.includes(secret));
  if (leaked) throw new Error('the report would have held a secret, so it was not written');
  return text;
}

/** Settings of any program whose values are secrets. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(OPERATOR_SETTINGS).flatMap(({ name, secret }) => (secret ? [name] : [])),
  ...Object.values(SERVICE_SETTINGS).flatMap((names: readonly string[]) =>
    names.filter((name) => names.includes(fileNameOf(name))),
  ),
]);
/** They name files that hold no secret; RPC URLs of the networks are looked for by themselves. */
const NO_SECRETS = ['SVC_NETWORKS_FILE', 'SVC_AUDIT_EXPORT_FILE'];

/** Texts that must not appear: secrets of the environments, their parts, and RPC URLs beyond their hosts. */
function secretTexts(environments: readonly Environment[], networks: OperatedNetworks): readonly string[] {
  const values = environments.flatMap((environment) =>
    Object.entries(environment).flatMap(([name, value = '']) => {
      if (SECRET_NAMES.has(name)) return [value];
      if (!/^SVC_\w+_FILES?$/.test(name) || NO_SECRETS.includes(name)) return [];
      return listOf(value).map(contentOf);
    }),
  );
  const urls = [...networks.values()].flatMap(({ rpcUrls = [] }) => rpcUrls);
  const parts = [...values, ...urls].flatMap((value) => {
    if (!URL.canParse(value)) return value.split(/[,:]/);
    const { password, pathname, search } = new URL(value);
    return [password, pathname.slice(1), search.slice(1)];
  });
  return [...values, ...urls, ...parts].filter((secret) => secret.length >= 8);
}

/** Content of the file. What names no file that can be read may be the secret itself, written in the wrong place. */
function contentOf(value: string): string {
  try {
    // A pipe would wait for its writer.
    return statSync(value).isFile() ? readFileSync(value, 'utf8').trim() : value;
  } catch {
    return value;
  }
}
