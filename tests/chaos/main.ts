// npm run chaos -- TROUBLE [options]: the runs that verify makes with a few, with as many as asked for.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { environmentOfChild } from '../../tools/config.ts';
import { createProgress } from '../progress.ts';
import { reportSimulation } from '../simulation/report-simulation.ts';
import { printBurner, reportBurner } from './burner/report-burner.ts';
import { runBurner } from './burner/run-burner.ts';
import { reportCluster } from './cluster/report-cluster.ts';
import { runClusterChaos } from './cluster/run-cluster.ts';
import { printEnemy, reportEnemy } from './enemy/report-enemy.ts';
import { runEnemy } from './enemy/run-enemy.ts';
import { fetchPgbackrest } from './harness/fetch-pgbackrest.ts';
import { isIcpBug } from './icp/icp-bugs.ts';
import { reportIcp } from './icp/report-icp.ts';
import { runIcpChaos } from './icp/run-icp.ts';
import { runRestore } from './restore/run-restore.ts';
import { runSolanaRestore } from './restore/run-solana-restore.ts';
import { reportSettlement } from './settlement/report-settlement.ts';
import { runSettlementChaos } from './settlement/run-settlement.ts';
import { SETTLEMENT_BUGS, type SettlementBug } from './settlement/service-programs.ts';
import { reportSoak } from './soak/report-soak.ts';
import { runSoak } from './soak/run-soak.ts';
import { reportSolana } from './solana/report-solana.ts';
import { runSolanaChaos } from './solana/run-solana.ts';
import { reportWebhooks } from './webhooks/report-webhooks.ts';
import { runWebhooksChaos } from './webhooks/run-webhooks.ts';

const USAGE = [
  'npm run chaos -- expiry [--intents N]',
  'npm run chaos -- webhooks [--deliveries N] [--faults N] [--seed N]',
  'npm run chaos -- settlement [--payments N] [--faults N] [--seed N] [--only KIND]... [--bug NAME] [--svg FILE]',
  'npm run chaos -- solana [--payments N] [--faults N] [--seed N] [--only KIND]... [--bug NAME]',
  'npm run chaos -- icp [--payments N] [--faults N] [--seed N] [--only KIND]... [--bug NAME]',
  'npm run chaos -- cluster [--payments N] [--faults N] [--seed N] [--only KIND]...',
  'npm run chaos -- burner [--seconds N] [--quiet N] [--wallets N] [--accounts N] [--honest N] [--hostile N] [--seed N] [--json]',
  'npm run chaos -- enemy [--seconds N] [--rehearsal N] [--quiet N] [--accounts N] [--honest N] [--hostile N] [--seed N] [--json] [--svg FILE]',
  'npm run chaos -- restore [--payments N] [--before N] [--seed N] [--pgbackrest [--only evm|solana]]',
  'npm run chaos -- soak [--minutes N] [--seed N] [--svg FILE]',
  'npm run chaos -- simulate [--seeds N] [--from N] [--seed N] [--bug NAME]',
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    intents: { type: 'string' },
    deliveries: { type: 'string' },
    payments: { type: 'string' },
    before: { type: 'string' },
    pgbackrest: { type: 'boolean' },
    faults: { type: 'string' },
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    quiet: { type: 'string' },
    rehearsal: { type: 'string' },
    wallets: { type: 'string' },
    accounts: { type: 'string' },
    honest: { type: 'string' },
    hostile: { type: 'string' },
    json: { type: 'boolean' },
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
    only: { type: 'string', multiple: true },
    bug: { type: 'string' },
    svg: { type: 'string' },
  },
});

class NotANumber extends Error {}
type Counted = Exclude<keyof typeof values, 'only' | 'bug' | 'svg' | 'json' | 'pgbackrest'>;
const count = (name: Counted, otherwise: number): number => {
  const text = values[name];
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new NotANumber(`--${name} ${text}`);
  return Number.parseInt(text, 10);
};
const isBug = (name: string | undefined): name is SettlementBug => SETTLEMENT_BUGS.some((bug) => bug === name);

/** Each says whether all was well. */
const TROUBLES: Readonly<Record<string, () => Promise<boolean> | boolean>> = {
  expiry: () => {
    const intents = String(count('intents', 50_000));
    const { status } = spawnSync('vitest', ['run', '--project', 'e2e', 'tests/e2e/upto-expiry.test.ts'], {
      stdio: 'inherit',
      env: { ...environmentOfChild(), SVC_CHAOS_INTENTS: intents },
    });
    return status === 0;
  },
  webhooks: async () => {
    const plan = { deliveries: count('deliveries', 20_000), faults: count('faults', 30), seed: count('seed', 1) };
    const progress = createProgress(plan.deliveries);
    const result = await runWebhooksChaos(plan, progress);
    progress.print('');
    return reportWebhooks(result, plan.seed, progress.print);
  },
  settlement: async () => {
    const { only, bug, svg } = values;
    const plan = { payments: count('payments', 3_000), faults: count('faults', 30), seed: count('seed', 1) };
    const progress = createProgress(plan.payments);
    const more = { ...(only && { kinds: only }), ...(isBug(bug) && { bug }) };
    const result = await runSettlementChaos({ ...plan, ...more }, progress);
    progress.print('');
    reportSettlement(result, plan.seed, progress.print, svg);
    return result.violations.length === 0;
  },
  solana: async () => {
    const { only, bug } = values;
    const plan = { payments: count('payments', 2_000), faults: count('faults', 22), seed: count('seed', 1) };
    const progress = createProgress(plan.payments);
    const more = { ...(only && { kinds: only }), ...(isBug(bug) && { bug, patienceMs: 20_000 }) };
    const result = await runSolanaChaos({ ...plan, ...more }, progress);
    progress.print('');
    reportSolana(result, plan.seed, progress.print);
    return result.violations.length === 0;
  },
  icp: async () => {
    const { only, bug } = values;
    const plan = { payments: count('payments', 600), faults: count('faults', 30), seed: count('seed', 1) };
    const progress = createProgress(plan.payments);
    const more = { ...(only && { kinds: only }), ...(isIcpBug(bug) && { bug, patienceMs: 30_000 }) };
    const result = await runIcpChaos({ ...plan, ...more }, progress);
    progress.print('');
    reportIcp(result, plan.seed, progress.print);
    return result.violations.length === 0;
  },
  cluster: async () => {
    const { only } = values;
    const plan = { payments: count('payments', 900), faults: count('faults', 7), seed: count('seed', 1) };
    const progress = createProgress(plan.payments);
    const result = await runClusterChaos({ ...plan, snapshots: true, ...(only && { kinds: only }) }, progress);
    progress.print('');
    reportCluster(result, plan.seed, progress.print);
    return result.violations.length === 0;
  },
  burner: async () => {
    const plan = {
      seconds: count('seconds', 120),
      quietSeconds: count('quiet', 20),
      wallets: count('wallets', 200),
      accounts: count('accounts', 20),
      honest: count('honest', 10),
      hostile: count('hostile', 20),
      seed: count('seed', 1),
    };
    // With --json standard output has the object alone.
    const progress = createProgress(plan.seconds + plan.quietSeconds, values.json ? process.stderr : process.stdout);
    const result = await runBurner(plan, progress);
    if (values.json) printBurner(plan, result);
    return reportBurner(result, progress.print);
  },
  enemy: async () => {
    const plan = {
      seconds: count('seconds', 300),
      rehearsalSeconds: count('rehearsal', 30),
      quietSeconds: count('quiet', 40),
      accounts: count('accounts', 20),
      honest: count('honest', 50),
      hostile: count('hostile', 400),
      seed: count('seed', 1),
    };
    // With --json standard output has the object alone.
    const progress = createProgress(plan.seconds + plan.quietSeconds, values.json ? process.stderr : process.stdout);
    const run = await runEnemy(plan, progress);
    if (values.json) printEnemy(plan, run);
    return reportEnemy(run, plan, progress.print, values.svg);
  },
  restore: async () => {
    const tool = values.pgbackrest ? fetchPgbackrest('.cache/pgbackrest') : undefined;
    if (tool?.ok === false) {
      console.log(`skipped: restore with pgBackRest, because ${tool.why}`);
      return true;
    }
    const plan = { payments: count('payments', 500), before: count('before', 15), seed: count('seed', 1) };
    const progress = createProgress(plan.payments);
    const given = { ...plan, pgbackrest: tool?.binary };
    const wants = (half: string) => values.only === undefined || values.only.includes(half);
    let found = 0;
    const report = (network: string, { problems, ...figures }: { readonly problems: readonly string[] }) => {
      found += problems.length;
      for (const problem of problems.slice(0, 20)) progress.print(problem);
      console.log(JSON.stringify({ network, seed: plan.seed, ...figures, problems: problems.length }));
    };
    if (wants('evm')) report('evm', await runRestore(given, progress));
    if (values.pgbackrest === true && wants('solana')) report('solana', await runSolanaRestore(given, progress));
    return found === 0;
  },
  soak: async () => {
    const [minutes, seed] = [count('minutes', 30), count('seed', 1)];
    const progress = createProgress(minutes * 60);
    const result = await runSoak(minutes, seed, progress);
    progress.print('');
    return reportSoak(result, seed, progress.print, values.svg);
  },
  simulate: async () => {
    const plan = { seeds: count('seeds', 200), from: count('from', 1), bug: values.bug };
    return (await reportSimulation({ ...plan, ...(values.seed && { seed: count('seed', 1) }) })) === 0;
  },
};

const WRONG_USE = 64;
try {
  const well = await TROUBLES[positionals[0] ?? '']?.();
  if (well === undefined) console.error(USAGE.join('\n'));
  process.exitCode = well === undefined ? WRONG_USE : well ? 0 : 1;
} catch (problem) {
  if (!(problem instanceof NotANumber)) throw problem;
  console.error([`${problem.message}: a whole number is wanted`, ...USAGE].join('\n'));
  process.exitCode = WRONG_USE;
}
