// Support bundle to hand to somebody else: findings and configuration, without any secret.
import { type Environment, fileNameOf, textOf } from '@svc-pay/runtime/config';
import type { OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { OPERATOR_SETTINGS } from '../config.ts';
import type { Finding } from './finding.ts';
import { shownHost } from './json-rpc.ts';

export type BundleInput = {
  readonly findings: readonly Finding[];
  readonly environment: Environment;
  readonly networks: OperatedNetworks;
  readonly generatedAt: string;
  readonly machine: Readonly<Record<string, string>>;
};

/** Throws if the text would contain a secret. */
export function bundleText({ findings, environment, networks, generatedAt, machine }: BundleInput): string {
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
            : { feeAccount: setup.feeAccount }),
          ready,
          rpcHosts: rpcUrls.map(shownHost),
        },
      ]),
    ),
    findings,
  };
  const text = `${JSON.stringify(bundle, null, 2)}\n`;
  const leaked = secretTexts(environment, networks).some((secret) => text.includes(secret));
  if (leaked) throw new Error('the report would have held a secret, so it was not written');
  return text;
}

/** Texts that must not appear: values of secret settings, their parts, and RPC URLs beyond their hosts. */
function secretTexts(environment: Environment, networks: OperatedNetworks): readonly string[] {
  const values = Object.values(OPERATOR_SETTINGS)
    .filter(({ secret }) => secret)
    .map((setting) => {
      const found = textOf(setting, environment);
      return 'problem' in found ? '' : (found.text ?? '');
    });
  const urls = [...networks.values()].flatMap(({ rpcUrls = [] }) => rpcUrls);
  const parts = [...values, ...urls].flatMap((value) => {
    if (!URL.canParse(value)) return value.split(/[,:]/);
    const { password, pathname, search } = new URL(value);
    return [password, pathname.slice(1), search.slice(1)];
  });
  return [...values, ...urls, ...parts].filter((secret) => secret.length >= 8);
}
