// A command that does work, as opposed to a command that only groups others.
import { Command, Option } from 'commander';
import type { CommandOutcome } from '../output/outcome.ts';
import type { Context, Input } from './context.ts';

export type CommandWork<Options> = (input: Input<Options>) => Promise<CommandOutcome>;
/** Receives the outcome of a command, and whether `--json` was given. */
type Report = (outcome: CommandOutcome, json: boolean) => void;
export type Surroundings = { readonly context: Context; readonly report: Report };

export const COMMAND = 'npm run svc --';

export function leaf(name: string, description: string, examples: readonly string[]): Command {
  const shown = examples.map((example) => `  $ ${COMMAND} ${example}`).join('\n');
  return new Command(name)
    .description(description)
    .summary(description.split('. ')[0]?.replace(/\.?$/, '.') ?? description)
    .option('--json', 'answer with one JSON document on standard output')
    .addHelpText('after', `\nExamples:\n${shown}`);
}

export function runs<Options>({ context, report }: Surroundings, work: CommandWork<Options>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const { json = false, ...options } = command.opts<{ json?: boolean }>();
    const positionals = command.processedArgs.flat() as readonly string[];
    report(await work({ options: options as Options, positionals, context }), json);
  };
}

export const accountOption = () => new Option('--account <id>', 'account, such as acct_…');
export const modeOption = () => new Option('--mode <mode>', 'test or live').choices(['test', 'live']);
