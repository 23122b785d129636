import { writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { type Clock, isoTime } from '@svc-pay/core';
import { type Environment, payoutRules } from '@svc-pay/runtime/config';
import type { OperatedNetworks } from '@svc-pay/runtime/config/networks';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { bundleText } from '../doctor/bundle.ts';
import { checkAgreement } from '../doctor/check-agreement.ts';
import { checkConfiguration } from '../doctor/check-configuration.ts';
import { checkConsole } from '../doctor/check-console.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkDirectOf } from '../doctor/check-direct.ts';
import { checkEdge } from '../doctor/check-edge.ts';
import { checkFolder } from '../doctor/check-folder.ts';
import { checkListenQueue } from '../doctor/check-listen-queue.ts';
import { checkNetwork } from '../doctor/check-network.ts';
import { checkRoles } from '../doctor/check-roles.ts';
import type { Finding } from '../doctor/finding.ts';
import { type Installation, readInstallation } from '../doctor/installation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

type Options = { readonly bundle?: string; readonly folder?: string };

export function doctorCommand(surroundings: Surroundings): Command {
  return leaf(
    'doctor',
    'Check the settings, the database, the clocks, the chains, the tokens, direct payouts and the chain reader. ' +
      'For each problem, print what is wrong and what to do. Exit code 1 means a problem; warnings do not count.',
    ['doctor', 'doctor --folder /etc/svc-pay', 'doctor --bundle report.json'],
  )
    .option('--folder <folder>', 'also check a folder of `init`, with the settings of its command.env')
    .option('--bundle <file>', 'also write a report without secrets to this file, for support')
    .action(runs<Options>(surroundings, run));
}

async function run({ options, context }: Input<Options>): Promise<CommandOutcome> {
  const { clock, paint, print } = context;
  const installation = options.folder === undefined ? undefined : readInstallation(options.folder);
  if (installation?.environments.size === 0)
    return failed('no_installation', 'The folder has no environment files.', 'Name a folder that `init` wrote.');
  const environment = installation?.environments.get('command') ?? context.environment;
  const own = installation === undefined ? [] : await examineFolder(installation, print);
  const { findings: others, networks } = await examine(environment, clock, print);
  const findings = [...own, ...others];
  if (options.bundle !== undefined) {
    const text = bundleText({
      findings,
      environment,
      others: [...(installation?.environments.values() ?? [])],
      networks,
      generatedAt: isoTime(clock.nowMs()),
      machine: { node: process.version, system: `${platform()} ${release()} ${arch()}` },
    });
    try {
      await writeFile(options.bundle, text, { mode: 0o600, flag: 'wx' });
    } catch (problem) {
      const exists = (problem as NodeJS.ErrnoException).code === 'EEXIST';
      return failed(
        'bundle_not_written',
        `${harmless(options.bundle)} ${exists ? 'exists already' : 'can’t be written'}.`,
        'Choose another file.',
      );
    }
  }
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const summary = `${count('ok')} fine, ${warnings} to look at, ${problems} wrong.`;
  const report = {
    data: { healthy: problems === 0, findings },
    text: [...findings.map((finding) => shown(finding, paint)), '', summary].join('\n'),
  };
  if (problems === 0) return done(report.data, report.text);
  return { ...failed('unhealthy', `${problems} things are wrong; each says above what to do.`), report };
}

function shown({ area, subject, status, message, advice }: Finding, paint: Paint): string {
  const mark = { ok: paint.good('ok     '), warning: paint.warn('look   '), problem: paint.bad('wrong  ') }[status];
  const line = `${mark}${area} ${harmless(subject)}: ${harmless(message)}`;
  return advice === undefined ? line : `${line}\n       → ${advice}`;
}

async function examineFolder(installation: Installation, print: (text: string) => void): Promise<readonly Finding[]> {
  print('looking at the folder …\n');
  const checks = [checkFolder, checkAgreement, checkEdge, checkConsole];
  const findings = [...checks.flatMap((check) => check(installation)), ...checkListenQueue()];
  print('looking at the roles …\n');
  return [...findings, ...(await checkRoles(installation))];
}

type Examination = { readonly findings: readonly Finding[]; readonly networks: OperatedNetworks };

/** Runs all checks, also after a problem, so that one run shows every problem. */
async function examine(environment: Environment, clock: Clock, print: (text: string) => void): Promise<Examination> {
  const { findings: configuration, config } = checkConfiguration(environment);
  const findings = [...configuration];
  if (config.databaseUrl !== undefined) {
    print('looking at the database …\n');
    findings.push(...(await checkDatabase(config.databaseUrl, config, clock)));
  }
  const networks = config.networks ?? new Map();
  for (const [network, setup] of networks) {
    print(`looking at ${network} …\n`);
    findings.push(...(await checkNetwork(network, setup, clock)));
  }
  if (config.databaseUrl !== undefined && config.payoutDelayHours !== undefined) {
    print('looking at direct payouts …\n');
    const rules = payoutRules({ payoutApprovers: config.payoutApprovers, payoutDelayHours: config.payoutDelayHours });
    findings.push(...(await checkDirectOf(config.databaseUrl, { ...rules, networks, clock })));
  }
  return { findings, networks };
}
