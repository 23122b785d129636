// Runs the command in this process: same arguments, environment, output and exit code, but a second faster.
import { systemClock } from '@svc-pay/core';
import { paintFor } from '@svc-pay/runtime/terminal/paint';
import type { Context } from '../command/context.ts';
import { runCommandLine } from '../command/run-command-line.ts';
import type { SvcRun } from './run-svc.ts';

export async function callSvc(
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<SvcRun> {
  let [stdout, stderr] = ['', ''];
  const context: Context = {
    clock: systemClock,
    environment,
    paint: paintFor(false),
    print: (text) => {
      stderr += text;
    },
    ask: undefined,
  };
  const exitCode = await runCommandLine(argv, context, {
    out: (text) => {
      stdout += text;
    },
    error: (text) => {
      stderr += text;
    },
    outputOnTerminal: false,
    errorPaint: paintFor(false),
  });
  return { exitCode, stdout, stderr };
}

/** Runs with `--json`; returns the parsed document and the exit code. */
export async function askSvc(
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<{ readonly exitCode: number; readonly document: unknown }> {
  const { exitCode, stdout } = await callSvc(environment, ...argv, '--json');
  return { exitCode, document: JSON.parse(stdout) as unknown };
}
