import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCheck } from './run-check.ts';
import type { Check } from './suites.ts';

const bash = (script: string): Check => ({ name: script.slice(0, 20), command: ['bash', '-c', script], counts: 'one' });
const run = (script: string, deadlineMs = 10_000) => runCheck('runner-test', bash(script), deadlineMs);

test('a command that succeeds counts one passed', async () => {
  expect(await run('echo fine')).toMatchObject({ passed: 1, failed: 0, reason: '' });
});

test('a command that fails counts one failed, with its exit code', async () => {
  expect(await run('exit 7')).toMatchObject({ passed: 0, failed: 1, reason: 'exit code 7' });
});

test('a program that does not exist is red, not an exception', async () => {
  const check: Check = { name: 'absent', command: ['svc-pay-no-such-program'], counts: 'one' };
  expect(await runCheck('runner-test', check, 5_000)).toMatchObject({ failed: 1, reason: 'exit code 127' });
});

test('past its deadline a check is stopped with everything it started', async () => {
  const startMs = performance.now();
  expect(await run('sleep 60 & sleep 60', 300)).toMatchObject({ failed: 1, reason: 'stopped: past its budget' });
  expect(performance.now() - startMs).toBeLessThan(5_000);
});

test('a process left behind makes the check red', async () => {
  expect(await run('sleep 60 & exit 0')).toMatchObject({ failed: 1, reason: 'left processes behind' });
});

test('a test run that executed no test is red', async () => {
  const check: Check = { name: 'no tests', command: ['true'], counts: 'vitest' };
  expect(await runCheck('runner-test', check, 5_000)).toMatchObject({ passed: 0, failed: 1, reason: 'ran no test' });
});

test('but not one that may find nothing to run', async () => {
  const check: Check = { name: 'nothing to run', command: ['true'], counts: 'vitest', mayBeEmpty: true };
  expect(await runCheck('runner-test', check, 5_000)).toMatchObject({ passed: 0, failed: 0, reason: '' });
});

test('without a deadline a check takes as long as it takes', async () => {
  const check: Check = { name: 'slow', command: ['bash', '-c', 'sleep 0.3'], counts: 'one' };
  expect(await runCheck('runner-test', check, undefined)).toMatchObject({ passed: 1, failed: 0, reason: '' });
});

/** Stands for Vitest: writes a report with one failed file, and a log that blames another, until `file` exists. */
function reporter(options: {
  readonly repeats: boolean;
  readonly redFiles?: number;
  readonly heals?: boolean;
  readonly says?: string;
}): Check {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-run-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { repeats, redFiles = 1, heals = true, says = '     Errors  1 error' } = options;
  const failed = Array.from({ length: redFiles }, (_, index) => ({
    name: path.resolve(`${index}.test.ts`),
    status: 'failed',
  }));
  const red = JSON.stringify({ numPassedTests: 5, numFailedTests: redFiles, testResults: failed });
  const green = JSON.stringify({ numPassedTests: 1, numFailedTests: 0, testResults: [] });
  const script = `
    out=$(for one; do case "$one" in --outputFile.json=*) echo "\${one#*=}";; esac; done)
    if [ -e ${folder}/ran ] && ${heals}; then echo '${green}' > "$out"; exit 0; fi
    touch ${folder}/ran
    echo 'This error originated in "blamed.test.ts" test file.'
    echo '${says}'
    echo '${red}' > "$out"
    exit 1`;
  return {
    name: `report ${path.basename(folder)}`,
    command: ['bash', '-c', script, 'bash'],
    counts: 'vitest',
    ...(repeats && { repeatsRedFiles: true }),
  };
}

describe('a red test file', () => {
  test('runs once more where its suite says so, and is flaky when it is green then', async () => {
    const result = await runCheck('runner-test', reporter({ repeats: true }), 10_000);
    expect(result).toMatchObject({ passed: 6, failed: 0, reason: '', flaky: ['0.test.ts', 'blamed.test.ts'] });
  });

  test('stays red when it is red again', async () => {
    const result = await runCheck('runner-test', reporter({ repeats: true, heals: false }), 10_000);
    expect(result).toMatchObject({ failed: 1, reason: 'exit code 1', flaky: [] });
  });

  test('does not run again where its suite proves a rule by itself', async () => {
    const result = await runCheck('runner-test', reporter({ repeats: false }), 10_000);
    expect(result).toMatchObject({ failed: 1, reason: 'exit code 1', flaky: [] });
  });

  test('does not run again beside three others', async () => {
    const result = await runCheck('runner-test', reporter({ repeats: true, redFiles: 3 }), 10_000);
    expect(result).toMatchObject({ failed: 3, reason: 'exit code 1', flaky: [] });
  });

  test('does not run again when an error of the run names no file', async () => {
    const result = await runCheck('runner-test', reporter({ repeats: true, says: '     Errors  2 errors' }), 10_000);
    expect(result).toMatchObject({ failed: 1, reason: 'exit code 1', flaky: [] });
  });
});
