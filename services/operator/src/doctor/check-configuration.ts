import type { Environment } from '@svc-pay/config';
import { findChain } from '@svc-pay/core';
import { type OperatorConfig, readOperatorConfig } from '../config.ts';
import { type Finding, findingsOf } from './finding.ts';

const NEEDS = ['databaseUrl', 'keyPepper', 'masterKeys'] as const;

export type CheckedConfiguration = {
  readonly findings: readonly Finding[];
  /** What could be read; a setting with a problem is absent. */
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

  const networks = config.networks ?? new Map();
  if (base.ok && networks.size === 0) {
    findings.push(
      findingsOf('configuration', 'SVC_NETWORKS').warning(
        'No network is configured, so no token can be offered.',
        'Describe each network you run in SVC_NETWORKS or SVC_NETWORKS_FILE.',
      ),
    );
  }
  for (const [network, { ready }] of networks) {
    const { ok, warning } = findingsOf('configuration', network);
    const name = findChain(network)?.name ?? network;
    findings.push(
      ready
        ? ok(`${name} is configured and offered.`)
        : warning(
            `${name} is configured but not ready, so it is not offered.`,
            'Set `ready` once a relayer can pay there.',
          ),
    );
  }
  return { findings, config };
}

function settingProblem(problem: string): Finding {
  const [name = 'environment'] = problem.split(' ');
  return findingsOf('configuration', name).problem(`${problem}.`, `Set ${name} in the environment of the services.`);
}
