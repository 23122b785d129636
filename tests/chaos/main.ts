// npm run chaos -- expiry [--intents N]
// npm run chaos -- webhooks [--deliveries N] [--faults N] [--seed N]
// npm run chaos -- settlement [--payments N] [--faults N] [--seed N] [--svg FILE]
// npm run chaos -- cluster [--payments N] [--faults N] [--seed N] [--only KIND]...
// The same tests that verify runs with a few, with as many as asked for.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { environmentOfChild } from '../../tools/config.ts';
import { createProgress } from '../progress.ts';
import { reportCluster } from './cluster/report-cluster.ts';
import { runClusterChaos } from './cluster/run-cluster.ts';
import { reportSettlement } from './settlement/report-settlement.ts';
import { runSettlementChaos } from './settlement/run-settlement.ts';
import type { SettlementBug } from './settlement/service-programs.ts';
import { runWebhooksChaos } from './webhooks/run-webhooks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    intents: { type: 'string', default: '50000' },
    deliveries: { type: 'string', default: '20000' },
    payments: { type: 'string' },
    only: { type: 'string', multiple: true },
    bug: { type: 'string' },
    svg: { type: 'string' },
    faults: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const isBug = (name: string | undefined): name is SettlementBug => name === 'recordingEarly' || name === 'signingAgain';
const whole = (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number.parseInt(text, 10) : undefined);

const TROUBLES: Readonly<Record<string, () => Promise<number> | number | undefined>> = {
  expiry: () => {
    if (whole(values.intents) === undefined) return undefined;
    const { status } = spawnSync('vitest', ['run', '--project', 'e2e', 'tests/e2e/upto-expiry.test.ts'], {
      stdio: 'inherit',
      env: { ...environmentOfChild(), SVC_CHAOS_INTENTS: values.intents },
    });
    return status ?? 1;
  },
  webhooks: () => {
    const [deliveries, faults, seed] = [values.deliveries, values.faults ?? '30', values.seed].map(whole);
    if (deliveries === undefined || faults === undefined || seed === undefined) return undefined;
    return webhooks(deliveries, faults, seed);
  },
  settlement: () => {
    const [payments, faults, seed] = [values.payments ?? '3000', values.faults ?? '30', values.seed].map(whole);
    if (payments === undefined || faults === undefined || seed === undefined) return undefined;
    return settlement(payments, faults, seed);
  },
  cluster: () => {
    const [payments, faults, seed] = [values.payments ?? '900', values.faults ?? '7', values.seed].map(whole);
    if (payments === undefined || faults === undefined || seed === undefined) return undefined;
    return cluster(payments, faults, seed);
  },
};

async function settlement(payments: number, faults: number, seed: number): Promise<number> {
  const progress = createProgress(payments);
  const { only, bug, svg } = values;
  const plan = { payments, faults, seed, ...(only && { kinds: only }), ...(isBug(bug) && { bug }) };
  const result = await runSettlementChaos(plan, progress);
  progress.say('');
  reportSettlement(result, seed, progress.say, svg);
  return result.violations.length === 0 ? 0 : 1;
}

async function cluster(payments: number, faults: number, seed: number): Promise<number> {
  const progress = createProgress(payments);
  const { only } = values;
  const plan = { payments, faults, seed, snapshots: true, ...(only && { kinds: only }) };
  const result = await runClusterChaos(plan, progress);
  progress.say('');
  reportCluster(result, seed, progress.say);
  return result.violations.length === 0 ? 0 : 1;
}

async function webhooks(deliveries: number, faults: number, seed: number): Promise<number> {
  const progress = createProgress(deliveries);
  const result = await runWebhooksChaos({ deliveries, faults, seed }, progress);
  progress.say('');
  for (const problem of result.problems.slice(0, MOST_SHOWN)) progress.say(problem);
  progress.say(
    `${result.arrivals} arrivals, ${result.duplicates} of them again; slowest recovery ${result.slowestRecoveryMs} ms; ${result.seconds} s`,
  );
  const figures = {
    seed,
    deliveries: result.deliveries,
    faults: Object.values(result.kinds).reduce((sum, count) => sum + count, 0),
    kinds: result.kinds,
    lost: result.lost,
    unexplained_duplicates: result.unexplainedDuplicates,
    problems: result.problems.length,
    in_flight_p50: result.inFlightP50,
  };
  console.log(JSON.stringify(figures));
  return result.lost + result.unexplainedDuplicates + result.problems.length === 0 ? 0 : 1;
}

const MOST_SHOWN = 20;

const status = await TROUBLES[positionals[0] ?? '']?.();
if (status === undefined) {
  console.error(
    [
      'npm run chaos -- expiry [--intents N]',
      'npm run chaos -- webhooks [--deliveries N] [--faults N] [--seed N]',
      'npm run chaos -- settlement [--payments N] [--faults N] [--seed N] [--only KIND]... [--bug NAME] [--svg FILE]',
      'npm run chaos -- cluster [--payments N] [--faults N] [--seed N] [--only KIND]...',
    ].join('\n'),
  );
}
process.exitCode = status ?? 64;
