// Runs one check as its own process group, so that a deadline or a crash takes everything it started along. A check that
// repeats red files runs them a second time, alone: docs/decisions/0029-red-files-run-once-more.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { environmentOfChild } from '../config.ts';
import { endGroup } from '../process-group.ts';
import type { Check } from './suites.ts';

export type CheckResult = {
  readonly passed: number;
  readonly failed: number;
  /** Why the check is red, for the person reading; empty when it is green. */
  readonly reason: string;
  readonly logFile: string;
  /** Test files that were red at first and green when they ran once more, alone. */
  readonly flaky: readonly string[];
};

/** More red files than this are not bad luck of one file: nothing runs again. */
const MOST_REPEATED_FILES = 3;

const logDirectory = path.resolve('.cache/verify');

/** `deadlineMs` undefined: it takes as long as it takes. */
export async function runCheck(suite: string, check: Check, deadlineMs: number | undefined): Promise<CheckResult> {
  const startMs = performance.now();
  const first = await runOnce(suite, check, deadlineMs);
  const red = check.repeatsRedFiles === true && first.reason !== '' && first.wasRun ? redFiles(first) : [];
  if (red.length === 0 || red.length > MOST_REPEATED_FILES) return first;
  const leftMs = deadlineMs === undefined ? undefined : deadlineMs - (performance.now() - startMs);
  const [program, ...programArguments] = check.command;
  const again: Check = { ...check, name: `${check.name}, again`, command: [program, ...programArguments, ...red] };
  const second = await runOnce(suite, again, leftMs);
  if (second.reason !== '' || second.passed < first.failedTests) return first;
  return { ...first, passed: first.passed + first.failedTests, failed: 0, reason: '', flaky: red };
}

type Report = {
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults?: readonly { readonly status: string }[];
  }[];
};

/**
 * Files with a failed test, and files that an error outside of every test is attributed to. None when these files do not
 * explain why the run was red: an error without a file, as of a worker that was killed, or a test that never ended.
 */
function redFiles({ logFile, countsFile }: { readonly logFile: string; readonly countsFile: string }): string[] {
  const log = readFileSync(logFile, 'utf8');
  let report: Report;
  try {
    report = JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    return [];
  }
  const files = report.testResults ?? [];
  const blamed = [...log.matchAll(/This error originated in "([^"]+)" test file/g)].map(([, file]) => file as string);
  const [, errors = '0'] = log.match(/^\s*Errors\s+(\d+) errors?/m) ?? [];
  const hasUnended = files.some((file) => file.assertionResults?.some(({ status }) => status === 'pending') === true);
  if (Number(errors) > blamed.length || hasUnended) return [];
  const failed = files.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return [...new Set([...failed, ...blamed].map((file) => path.relative('.', file)))];
}

type OneRun = CheckResult & {
  readonly countsFile: string;
  /** As the report counts them: an error outside of every test is none. */
  readonly failedTests: number;
  /** It ended by itself and left nothing behind. */
  readonly wasRun: boolean;
};

async function runOnce(suite: string, check: Check, deadlineMs: number | undefined): Promise<OneRun> {
  mkdirSync(logDirectory, { recursive: true });
  const fileStem = path.join(logDirectory, `${suite}-${check.name}`.replaceAll(/[^\w-]+/g, '-'));
  const logFile = `${fileStem}.log`;
  const countsFile = `${fileStem}.json`;
  rmSync(countsFile, { force: true });

  const [program, ...programArguments] = check.command;
  const extra = { one: [], vitest: [`--outputFile.json=${countsFile}`], forge: ['--counts', countsFile] }[check.counts];
  const log = createWriteStream(logFile);
  const child = spawn(program, [...programArguments, ...extra], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOfChild(),
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });

  let late = false;
  const stop = () => {
    late = true;
    endGroup(child.pid);
  };
  const timer = deadlineMs === undefined ? undefined : setTimeout(stop, Math.max(0, deadlineMs));
  // `exit`, not `close`: a process left behind keeps the pipes open and must not keep us waiting.
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', (problem) => {
      log.write(`${program}: ${problem.message}\n`);
      resolve(127);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
  clearTimeout(timer);
  const leftBehind = !late && endGroup(child.pid);
  log.end();
  await once(log, 'finish');

  const counts = check.counts === 'one' ? { passed: exitCode === 0 ? 1 : 0, failed: 0 } : testCounts(countsFile);
  const reason = late
    ? 'stopped: past its budget'
    : leftBehind
      ? 'left processes behind'
      : exitCode !== 0
        ? `exit code ${exitCode}`
        : counts.passed === 0 && check.mayBeEmpty !== true
          ? 'ran no test'
          : '';
  const failed = reason === '' ? counts.failed : Math.max(1, counts.failed);
  return {
    ...counts,
    failed,
    reason,
    logFile,
    flaky: [],
    countsFile,
    failedTests: counts.failed,
    wasRun: !late && !leftBehind,
  };
}

/** Both reports: Vitest's own, and the two numbers that tools/contracts/test.ts writes. */
function testCounts(countsFile: string): { passed: number; failed: number } {
  let report: { numPassedTests?: number; numFailedTests?: number; passed?: number; failed?: number };
  try {
    report = JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    // No report means that the runner itself fell; the exit code says so.
    return { passed: 0, failed: 0 };
  }
  return {
    passed: report.numPassedTests ?? report.passed ?? 0,
    failed: report.numFailedTests ?? report.failed ?? 0,
  };
}
