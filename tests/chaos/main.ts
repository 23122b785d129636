// npm run chaos -- expiry [--intents N]
// npm run chaos -- webhooks [--deliveries N] [--faults N] [--seed N]
// npm run chaos -- settlement [--payments N] [--faults N] [--seed N] [--svg FILE]
// npm run chaos -- restore [--payments N] [--seed N]
// The same tests that verify runs with a few, with as many as asked for.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { environmentOfChild } from '../../tools/config.ts';
import { createProgress } from '../progress.ts';
import { runRestore } from './restore/run-restore.ts';
import { reportSettlement } from './settlement/report-settlement.ts';
import { runSettlementChaos } from './settlement/run-settlement.ts';
import type { SettlementBug } from './settlement/world.ts';
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
    faults: { type: 'string', default: '30' },
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
    const [deliveries, faults, seed] = [values.deliveries, values.faults, values.seed].map(whole);
    if (deliveries === undefined || faults === undefined || seed === undefined) return undefined;
    return webhooks(deliveries, faults, seed);
  },
  settlement: () => {
    const [payments, faults, seed] = [values.payments ?? '3000', values.faults, values.seed].map(whole);
    if (payments === undefined || faults === undefined || seed === undefined) return undefined;
    return settlement(payments, faults, seed);
  },
  restore: () => {
    const [payments, seed] = [values.payments ?? '500', values.seed].map(whole);
    return payments === undefined || seed === undefined ? undefined : restore(payments, seed);
  },
};

async function restore(payments: number, seed: number): Promise<number> {
  const progress = createProgress(payments);
  const { problems, ...figures } = await runRestore({ payments, seed }, progress);
  for (const problem of problems.slice(0, MOST_SHOWN)) progress.say(problem);
  console.log(JSON.stringify({ seed, ...figures, problems: problems.length }));
  return problems.length === 0 ? 0 : 1;
}

async function settlement(payments: number, faults: number, seed: number): Promise<number> {
  const progress = createProgress(payments);
  const { only, bug, svg } = values;
  const plan = { payments, faults, seed, ...(only && { kinds: only }), ...(isBug(bug) && { bug }) };
  const result = await runSettlementChaos(plan, progress);
  progress.say('');
  reportSettlement(result, seed, progress.say, svg);
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
      'npm run chaos -- restore [--payments N] [--seed N]',
    ].join('\n'),
  );
}
process.exitCode = status ?? 64;
