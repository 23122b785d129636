// What `npm run verify` runs, and how long each part may take. In CI a suite past six times its seconds, and a run past
// 80 minutes, fails; elsewhere it is only said. Which suite answers which question: tests/README.md.

export type Check = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** `vitest` and `forge` count the tests they ran, `one` counts the command itself. */
  readonly counts: 'one' | 'vitest' | 'forge';
  /** A run without a single test is no failure: nothing depends on what changed. */
  readonly mayBeEmpty?: boolean;
  /** A red test file runs once more, alone, and is named as flaky if it is green then. */
  readonly repeatsRedFiles?: true;
};

export type Suite = {
  readonly name: string;
  readonly budgetSeconds: number;
  readonly checks: readonly Check[];
};

const command = (name: string, ...argv: [string, ...string[]]): Check => ({ name, command: argv, counts: 'one' });

/** Tests of one Vitest project, named as in vitest.config.ts. */
const tests = (project: string): Check => ({
  name: `tests of ${project}`,
  command: ['vitest', 'run', '--project', project, '--reporter=default', '--reporter=json'],
  counts: 'vitest',
});

/**
 * The same for suites that start real processes and wait for them. What such a file proves depends on the machine's pace;
 * suites that prove a rule by themselves (unit, simulation, postgres, chaos, contracts) are not repeated.
 */
const processTests = (project: string): Check => ({ ...tests(project), repeatsRedFiles: true });

export const INSTALL: Suite = {
  name: 'install',
  budgetSeconds: 50,
  checks: [
    // Never `npm ci`: docs/decisions/0006-dependencies.md.
    command('npm install', 'npm', 'install', '--no-progress'),
    command('lock unchanged', 'git', 'diff', '--exit-code', '--stat', '--', 'package-lock.json'),
  ],
};

export const SUITES: readonly Suite[] = [
  {
    name: 'static',
    budgetSeconds: 67,
    checks: [
      command('format', 'biome', 'check', '.'),
      command('lint', 'oxlint', '--type-aware', '--max-warnings=0'),
      command('types', 'node', 'tools/types.ts'),
      command('unused code', 'knip'),
      tests('house'),
    ],
  },
  {
    name: 'unit',
    budgetSeconds: 38,
    checks: [
      tests('unit'),
      command('bench webhook-verify', 'node', 'tests/bench/main.ts', 'webhook-verify', '--seconds', '2', '--check'),
    ],
  },
  { name: 'simulation', budgetSeconds: 42, checks: [tests('simulation')] },
  {
    name: 'postgres',
    budgetSeconds: 150,
    checks: [
      tests('postgres'),
      command('bench reader', 'node', 'tests/bench/main.ts', 'reader', '--most', '100000', '--check'),
    ],
  },
  { name: 'api', budgetSeconds: 76, checks: [processTests('api')] },
  { name: 'webhooks', budgetSeconds: 60, checks: [processTests('webhooks')] },
  { name: 'cli', budgetSeconds: 84, checks: [processTests('cli')] },
  { name: 'e2e', budgetSeconds: 575, checks: [processTests('e2e')] },
  { name: 'browser', budgetSeconds: 480, checks: [processTests('browser')] },
  { name: 'chaos', budgetSeconds: 270, checks: [tests('chaos')] },
  { name: 'drill', budgetSeconds: 90, checks: [processTests('drill')] },
  { name: 'solana', budgetSeconds: 46, checks: [processTests('solana')] },
  { name: 'icp', budgetSeconds: 36, checks: [processTests('icp')] },
  {
    name: 'sandbox',
    budgetSeconds: 52,
    checks: [command('every flow', 'node', 'sandbox/src/main.ts', '--check'), processTests('sandbox')],
  },
  {
    name: 'interop',
    budgetSeconds: 125,
    checks: [
      command('stock x402 packages', 'npm', 'install', '--no-progress', '--prefix', 'tests/interop'),
      command('their lock unchanged', 'git', 'diff', '--exit-code', '--stat', '--', 'tests/interop/package-lock.json'),
      processTests('interop'),
    ],
  },
  { name: 'engine', budgetSeconds: 34, checks: [processTests('engine')] },
  {
    name: 'contracts',
    budgetSeconds: 85,
    checks: [
      { name: 'tests of contracts', command: ['node', 'tools/contracts/test.ts'], counts: 'forge' },
      command('gas and size', 'node', 'tools/contracts/gas.ts'),
      command('typed ABI is fresh', 'node', 'tools/contracts/abi.ts', '--check'),
      command('format of contracts', 'node', 'tools/contracts/format.ts', '--check'),
      processTests('contracts-deploy'),
    ],
  },
  {
    name: 'packages',
    budgetSeconds: 38,
    checks: [
      command('packages, installed and used', 'npm', 'run', 'packages'),
      command('known holes in dependencies', 'node', 'tools/release/advisories.ts'),
      command('pages hold', 'npm', 'run', 'docs:run'),
    ],
  },
];

const chaos = (...argv: string[]): Check => command(`chaos ${argv.join(' ')}`, 'node', 'tests/chaos/main.ts', ...argv);

/** What `npm run verify -- --long` runs: too large a download, or too slow, for every change. */
export const LONG_SUITES: readonly Suite[] = [
  { name: 'long-tests', budgetSeconds: 2700, checks: [tests('long')] },
  { name: 'long-simulation', budgetSeconds: 420, checks: [chaos('simulate', '--seeds', '2000', '--from', '201')] },
  {
    name: 'long-settlement',
    budgetSeconds: 240,
    checks: [chaos('settlement', '--payments', '3000', '--faults', '20', '--seed', '101')],
  },
  {
    name: 'long-solana',
    budgetSeconds: 150,
    checks: [chaos('solana', '--payments', '600', '--faults', '8', '--seed', '101')],
  },
  {
    name: 'long-icp',
    budgetSeconds: 300,
    checks: [chaos('icp', '--payments', '300', '--faults', '16', '--seed', '101')],
  },
  {
    name: 'long-webhooks',
    budgetSeconds: 120,
    checks: [chaos('webhooks', '--deliveries', '8000', '--faults', '12', '--seed', '101')],
  },
  { name: 'long-restore', budgetSeconds: 150, checks: [chaos('restore', '--payments', '300', '--seed', '101')] },
  {
    name: 'long-backup',
    budgetSeconds: 900,
    checks: [chaos('restore', '--pgbackrest', '--before', '1800', '--payments', '200', '--seed', '103')],
  },
  { name: 'long-expiry', budgetSeconds: 80, checks: [chaos('expiry', '--intents', '20000')] },
  { name: 'long-burner', budgetSeconds: 160, checks: [chaos('burner', '--seconds', '60')] },
  { name: 'long-enemy', budgetSeconds: 300, checks: [chaos('enemy', '--seconds', '60')] },
  {
    name: 'long-fuzz',
    budgetSeconds: 80,
    checks: [command('fuzz api, 20,000 requests', 'node', 'tests/fuzz/main.ts', 'api', '--requests', '20000')],
  },
  {
    name: 'program',
    // Most of it is the compiler's download, 400 MB.
    budgetSeconds: 100,
    checks: [command('Solana program is its source, built', 'node', 'contracts/solana/build/main.ts', '--check')],
  },
];

/** Seconds that all suites of an ordinary run together may plan: under 40 minutes. */
export const TOTAL_BUDGET_SECONDS = 2_399;

/** Seconds that all long suites together may plan: 100 minutes. */
export const LONG_BUDGET_SECONDS = 6_000;

/**
 * In CI a suite is stopped and red past this multiple of its budget, a second run of red files included. Budgets are seconds
 * of a quiet machine with free cores; two shared ones were seen to take 2.2 times as long for the browser suite, and a slower
 * machine 2.3 times as long again. A suite that hangs ends here, and the run at its own limit.
 */
export const OVERRUN_FACTOR = 6;

/** In CI all suites together have this long; suites are stopped and red from then on. */
export const RUN_LIMIT_SECONDS = 80 * 60;
