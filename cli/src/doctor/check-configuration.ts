import { findChain, minimumFromUsd } from '@svc-pay/core';
import type { Environment } from '@svc-pay/runtime/config';
import { isIcp, minimumUsdOf, type OperatedNetworks } from '@svc-pay/runtime/config/networks';
import { type OperatorConfig, readOperatorConfig } from '../config.ts';
import { type Finding, findingsOf } from './finding.ts';

const NEEDS = ['databaseUrl', 'keyPeppers', 'masterKeys'] as const;

export type CheckedConfiguration = {
  readonly findings: readonly Finding[];
  /** Valid settings; a setting with a problem is absent. */
  readonly config: Partial<OperatorConfig<(typeof NEEDS)[number]>>;
};

export function checkConfiguration(environment: Environment): CheckedConfiguration {
  const findings: Finding[] = [];
  let config: CheckedConfiguration['config'] = {};
  const base = readOperatorConfig([], environment);
  if (base.ok) config = base.config;
  else for (const problem of base.problems) findings.push(settingProblem(problem));

  for (const need of base.ok ? NEEDS : []) {
    const read = readOperatorConfig([need], environment);
    if (read.ok) config = { ...config, ...read.config };
    else findings.push(...read.problems.map(settingProblem));
  }
  if (findings.length === 0) findings.push(findingsOf('configuration', 'environment').ok('Everything needed is set.'));

  const networks: OperatedNetworks = config.networks ?? new Map();
  if (base.ok && networks.size === 0) {
    findings.push(
      findingsOf('configuration', 'SVC_NETWORKS').warning(
        'No network is configured, so no token can be offered.',
        'Describe each network you run in SVC_NETWORKS or SVC_NETWORKS_FILE.',
      ),
    );
  }
  for (const [network, setup] of networks) {
    const { ready } = setup;
    const { ok, warning } = findingsOf('configuration', network);
    const chain = findChain(network);
    const name = chain?.name ?? network;
    if (chain?.mode === 'live' && !isIcp(setup) && minimumFromUsd(minimumUsdOf(network, setup)) === null) {
      findings.push(
        warning(
          `${name} takes payments of any amount: anybody can make the relayers spend more on gas than is paid.`,
          'Set `minimumUsd` of the network to what the gas of a payment costs, or leave it out for the default.',
        ),
      );
    }
    findings.push(
      ready
        ? ok(`${name} is configured and offered.`)
        : warning(
            `${name} is configured but not ready, so it is not offered.`,
            isIcp(setup) ? 'Set `ready` once payers may pay there.' : 'Set `ready` once a relayer can pay there.',
          ),
    );
  }
  return { findings, config };
}

function settingProblem(problem: string): Finding {
  const [name = 'environment'] = problem.split(' ');
  return findingsOf('configuration', name).problem(`${problem}.`, `Set ${name} in the environment of the services.`);
}
