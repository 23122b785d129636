// What `npm run verify -- --changed` runs: the static checks, the quick tests that depend on what changed, and changed test
// files whatever suite they are of. What it leaves out it names, with the folder that could break it.
import { execFileSync } from 'node:child_process';
import { type Check, SUITES, type Suite } from './suites.ts';

export type ChangedPlan = {
  readonly suites: readonly Suite[];
  /** Names of suites that the change can break and that are not run, each with its reason. */
  readonly leftOut: ReadonlyMap<string, string>;
};

/** Quick enough to run before every commit. Vitest finds their affected files by the imports. */
const QUICK = [
  'unit',
  'simulation',
  'postgres',
  'api',
  'webhooks',
  'cli',
  'solana',
  'icp',
  'engine',
  'contracts-deploy',
];
/** They start processes and bundle pages: imports do not show what they depend on. */
const WHOLE = ['e2e', 'browser', 'chaos', 'drill', 'sandbox'];

/** Suites that a changed file can break beside those that Vitest finds. */
const REACH: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:packages|services|cli)\/.*(?<!\.test\.ts)$/, WHOLE],
  [/^sdk\/.*(?<!\.test\.ts)$/, ['browser', 'sandbox', 'packages', 'e2e']],
  [/^sandbox\//, ['sandbox']],
  [/^contracts\//, ['contracts', ...WHOLE]],
  [/^(?:docs|examples)\/|\.md$/, ['packages']],
  [/^tests\/e2e\/.*(?<!\.test\.ts)$/, ['e2e', 'browser', 'chaos', 'drill']],
  [/^tests\/browser\/.*(?<!\.test\.ts)$/, ['browser']],
  [/^tests\/chaos\/.*(?<!\.test\.ts)$/, ['chaos', 'drill']],
  [/(?:^|\/)package(?:-lock)?\.json$|^vitest\.config\.ts$|^\.ci\//, [...WHOLE, 'contracts', 'packages']],
];

const isOwnTest = (file: string) => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts');

export function planChanged(files: readonly string[], base: string): ChangedPlan {
  const vitest = (name: string, ...argv: string[]): Check => ({
    name,
    command: ['vitest', 'run', ...argv, '--passWithNoTests', '--reporter=default', '--reporter=json'],
    counts: 'vitest',
    mayBeEmpty: true,
  });
  const projects = (names: readonly string[]) => names.flatMap((name) => ['--project', name]);
  const leftOut = new Map<string, string>();
  for (const file of files) {
    for (const [pattern, suites] of REACH) {
      if (!pattern.test(file)) continue;
      for (const suite of suites) if (!leftOut.has(suite)) leftOut.set(suite, file);
    }
  }
  const ownTests = files.filter(isOwnTest);
  const checks = [
    vitest('tests that depend on the change', ...projects(QUICK), '--changed', base),
    ...(ownTests.length > 0 ? [vitest('changed tests of slow suites', ...projects(WHOLE), ...ownTests)] : []),
  ];
  const order = SUITES.map(({ name }) => name);
  return {
    suites: [...SUITES.filter(({ name }) => name === 'static'), { name: 'changed', budgetSeconds: 75, checks }],
    leftOut: new Map([...leftOut].toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))),
  };
}

/** Committed since `base`, not committed, and not yet known to git. */
export function changedFiles(base: string): string[] {
  const git = (...argv: string[]) => execFileSync('git', argv, { encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...new Set([
      ...git('diff', '--name-only', '--merge-base', base),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]),
  ];
}

export function leftOutLines({ leftOut }: ChangedPlan): string[] {
  if (leftOut.size === 0) return ['left out: nothing that the change can break'];
  return [
    'left out, although the change can break them:',
    ...[...leftOut].map(([suite, file]) => `  ${suite}: ${file}`),
    `  npm run verify -- --only ${[...leftOut.keys()].join(',')}`,
  ];
}
