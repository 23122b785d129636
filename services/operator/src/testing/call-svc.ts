// The command without a process around it: the same arguments, environment, output and exit code, a second sooner.
import { systemClock } from '@svc-pay/core';
import type { Context } from '../command/context.ts';
import { runCommandLine } from '../command/run-command-line.ts';
import { paintFor } from '../output/paint.ts';
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
    say: (text) => {
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

/** With `--json`: the one document, and the exit code that came with it. */
export async function askSvc(
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<{ readonly exitCode: number; readonly document: unknown }> {
  const { exitCode, stdout } = await callSvc(environment, ...argv, '--json');
  return { exitCode, document: JSON.parse(stdout) as unknown };
}
