// Runs one command line: from arguments to output and exit code.

import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { CommanderError } from 'commander';
import { type CommandOutcome, exitCodeOf, misused } from '../output/outcome.ts';
import type { Context } from './context.ts';
import { explainFailure } from './explain-failure.ts';
import { allCommands, buildProgram } from './program.ts';

export type Console = {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly outputOnTerminal: boolean;
  readonly errorPaint: Paint;
};

/** Returns the exit code. */
export async function runCommandLine(argv: readonly string[], context: Context, console: Console): Promise<number> {
  const { out, error, outputOnTerminal, errorPaint } = console;
  let exitCode = 0;
  let complaint = '';
  const report = (outcome: CommandOutcome, json: boolean) => {
    const { stdout, stderr } = printOutcome(outcome, json, errorPaint);
    if (stdout !== '') out(stdout);
    if (stderr !== '') error(stderr);
    exitCode = exitCodeOf(outcome);
  };
  const program = buildProgram({ context, report });
  for (const command of allCommands(program)) {
    command
      .exitOverride()
      .helpCommand(false)
      .configureHelp({ styleTitle: context.paint.bold })
      .configureOutput({
        writeOut: out,
        writeErr: (text) => {
          complaint += text;
        },
        getOutHasColors: () => outputOnTerminal,
      });
  }
  const json = argv.includes('--json');
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (problem) {
    if (!(problem instanceof CommanderError)) report(explainFailure(problem), json);
    else if (problem.exitCode === 0) return 0;
    else report(misusedBy(problem, complaint), json);
  }
  return exitCode;
}

/** A group without a subcommand prints its help as a usage error. */
function misusedBy({ code, message }: CommanderError, complaint: string): CommandOutcome {
  if (code === 'commander.help') return misused(complaint.trimEnd());
  return misused(message.replace(/^error: /, ''), 'Add --help to see how it is called.');
}

type Printed = { readonly stdout: string; readonly stderr: string };

/** JSON: always one document on standard output. Text: results on standard output, errors on standard error. */
function printOutcome(outcome: CommandOutcome, json: boolean, errorPaint: Paint): Printed {
  if (json) return { stdout: `${JSON.stringify(documentOf(outcome), null, 2)}\n`, stderr: '' };
  if (outcome.ok) return { stdout: `${outcome.text}\n`, stderr: '' };
  const advice = outcome.advice === undefined ? '' : `${outcome.advice}\n`;
  return {
    stdout: outcome.report === undefined ? '' : `${outcome.report.text}\n`,
    stderr: `${errorPaint.bad(outcome.message)}\n${advice}`,
  };
}

function documentOf(outcome: CommandOutcome): unknown {
  if (outcome.ok) return outcome.data;
  if (outcome.report !== undefined) return outcome.report.data;
  const { code, message, advice } = outcome;
  return { error: code, message, advice: advice ?? null };
}
