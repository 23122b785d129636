import type { Environment } from '@svc-pay/config';
import type { OperatedNetworks } from '@svc-pay/config/networks';
import type { Clock } from '@svc-pay/core';
import { checkConfiguration } from './check-configuration.ts';
import { checkDatabase } from './check-database.ts';
import { checkNetwork } from './check-network.ts';
import type { Finding } from './finding.ts';

export type Examination = { readonly findings: readonly Finding[]; readonly networks: OperatedNetworks };

/** Looks at everything, and goes on where something is wrong: one run shows all of it. */
export async function examine(
  environment: Environment,
  clock: Clock,
  say: (text: string) => void,
): Promise<Examination> {
  const { findings: configuration, config } = checkConfiguration(environment);
  const findings = [...configuration];
  if (config.databaseUrl !== undefined) {
    say('looking at the database …\n');
    findings.push(...(await checkDatabase(config.databaseUrl, config, clock)));
  }
  const networks = config.networks ?? new Map();
  for (const [network, setup] of networks) {
    say(`looking at ${network} …\n`);
    findings.push(...(await checkNetwork(network, setup, clock)));
  }
  return { findings, networks };
}
