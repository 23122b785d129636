// Runs one check as its own process group, so that a deadline or a crash takes everything it started along.
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
};

const logDirectory = path.resolve('.cache/verify');

/** `deadlineMs` undefined: it takes as long as it takes. */
export async function runCheck(suite: string, check: Check, deadlineMs: number | undefined): Promise<CheckResult> {
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
  return { ...counts, failed: reason === '' ? counts.failed : Math.max(1, counts.failed), reason, logFile };
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
