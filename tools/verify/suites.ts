// What `npm run verify` runs, and how long each part may take. A suite past 1.5 times its seconds fails.

export type Check = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** `vitest` and `forge` count the tests they ran, `one` counts the command itself. */
  readonly counts: 'one' | 'vitest' | 'forge';
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

export const INSTALL: Suite = {
  name: 'install',
  budgetSeconds: 60,
  checks: [
    // Never `npm ci`: docs/decisions/0006-dependencies.md.
    command('npm install', 'npm', 'install', '--no-progress'),
    command('lock unchanged', 'git', 'diff', '--exit-code', '--stat', '--', 'package-lock.json'),
  ],
};

export const SUITES: readonly Suite[] = [
  {
    name: 'static',
    budgetSeconds: 75,
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
    budgetSeconds: 110,
    checks: [
      tests('unit'),
      command('bench webhook-verify', 'node', 'tests/bench/main.ts', 'webhook-verify', '--seconds', '2', '--check'),
    ],
  },
  { name: 'simulation', budgetSeconds: 20, checks: [tests('simulation')] },
  { name: 'postgres', budgetSeconds: 90, checks: [tests('postgres')] },
  { name: 'api', budgetSeconds: 65, checks: [tests('api')] },
  { name: 'webhooks', budgetSeconds: 115, checks: [tests('webhooks')] },
  { name: 'operator', budgetSeconds: 100, checks: [tests('operator')] },
  { name: 'e2e', budgetSeconds: 390, checks: [tests('e2e')] },
  { name: 'browser', budgetSeconds: 90, checks: [tests('browser')] },
  { name: 'chaos', budgetSeconds: 70, checks: [tests('chaos')] },
  { name: 'drill', budgetSeconds: 65, checks: [tests('drill')] },
  { name: 'solana', budgetSeconds: 45, checks: [tests('solana')] },
  {
    name: 'sandbox',
    budgetSeconds: 50,
    checks: [command('every flow', 'node', 'sandbox/src/main.ts', '--check'), tests('sandbox')],
  },
  { name: 'engine', budgetSeconds: 55, checks: [tests('engine')] },
  {
    name: 'contracts',
    budgetSeconds: 70,
    checks: [
      { name: 'tests of contracts', command: ['node', 'tools/contracts/test.ts'], counts: 'forge' },
      command('gas and size', 'node', 'tools/contracts/gas.ts'),
      command('typed ABI is fresh', 'node', 'tools/contracts/abi.ts', '--check'),
      command('format of contracts', 'node', 'tools/contracts/format.ts', '--check'),
      tests('contracts-deploy'),
    ],
  },
  {
    name: 'packages',
    budgetSeconds: 30,
    checks: [
      command('packages, installed and used', 'npm', 'run', 'packages'),
      command('release, dry', 'npm', 'run', 'release', '--', '--dry'),
      command('pages hold', 'npm', 'run', 'docs:run'),
    ],
  },
];

/** Seconds that all suites together may plan: the grown project stays under 25 minutes. */
export const TOTAL_BUDGET_SECONDS = 1_500;

/** A suite fails past this multiple of its budget; it is never retried. */
export const OVERRUN_FACTOR = 1.5;
