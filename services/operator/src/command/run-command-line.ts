// One call of the command, from its arguments to what is printed and the exit code.
import { CommanderError } from 'commander';
import { exitCodeOf, misused, type Outcome } from '../output/outcome.ts';
import type { Paint } from '../output/paint.ts';
import type { Context } from './context.ts';
import { explainFailure } from './explain-failure.ts';
import { printOutcome } from './print-outcome.ts';
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
  const report = (outcome: Outcome, json: boolean) => {
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

/** A group called without a command shows its help, as a complaint. */
function misusedBy({ code, message }: CommanderError, complaint: string): Outcome {
  if (code === 'commander.help') return misused(complaint.trimEnd());
  return misused(message.replace(/^error: /, ''), 'Add --help to see how it is called.');
}
