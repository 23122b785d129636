// The command that runs benches, as a process: what it prints and how it exits when it measures nothing.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BENCH_USAGE } from './read-arguments.ts';

const bench = (...argv: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tests/bench/main.ts', ...argv], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout, stderr };
};

test('--help prints the usage and succeeds', () => {
  expect(bench('--help')).toEqual({ status: 0, stdout: BENCH_USAGE, stderr: '' });
  expect(bench('settle', '--help')).toMatchObject({ status: 0, stdout: BENCH_USAGE });
  expect(BENCH_USAGE).toContain('npm run bench -- settle');
});

test.each([
  [['--unknown'], '--unknown'],
  [['settle', '--seconds'], '--seconds'],
  [['settle', '--kind', 'other'], '--kind is processor or direct'],
  [['settle', '--pairs', '5'], '--pairs and --other go together'],
  [['nothing'], 'which bench?'],
])('%j is answered with what is wrong, without a stack, as a usage error', (argv, problem) => {
  const { status, stdout, stderr } = bench(...argv);
  expect([status, stdout]).toEqual([64, '']);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('    at ');
});
