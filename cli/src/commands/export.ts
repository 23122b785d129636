import { EXPORT_FORMATS, EXPORT_KINDS, type ExportFormat, type ExportKind, type Mode } from '@svc-pay/core';
import { createExportStore } from '@svc-pay/postgres/operator';
import { Argument, type Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { exportToFile } from '../export/export-file.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';

type Options = { readonly account: string; readonly mode: Mode; readonly format: ExportFormat; readonly out: string };

const REFUSALS = {
  busy: ['export_busy', 'Another export of the account is running.', 'Run the command again when it is over.'],
  restarted: [
    'database_restored',
    'The database runs in another cluster than before.',
    'Run `npm run svc -- migrate`, then this command again: it goes on where it was.',
  ],
  other_export: [
    'other_export',
    'The file has the cursor of another account, mode, format or kind beside it.',
    'Name another file with --out.',
  ],
  file_shorter: [
    'file_shorter',
    'The file is shorter than its cursor says: a part of it was lost.',
    'Delete the file and its .cursor, and export again from the beginning.',
  ],
  mark_unreadable: [
    'cursor_unreadable',
    'The .cursor beside the file can not be read.',
    'Delete the file and its .cursor, and export again from the beginning.',
  ],
} as const;

export function exportCommand(surroundings: Surroundings): Command {
  return leaf(
    'export',
    'Export the payments or the ledger of an account to a file, in commit order. A run that was interrupted goes ' +
      'on where it was, and a later run appends what was booked since: keep <file>.cursor.',
    [
      'export payments --account acct_… --mode live --out payments.csv',
      'export ledger --account acct_… --mode live --format jsonl --out ledger.jsonl',
    ],
  )
    .addArgument(new Argument('<kind>', 'what').choices(EXPORT_KINDS))
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(new Option('--format <format>', 'of the file').choices(EXPORT_FORMATS).default('csv'))
    .requiredOption('--out <file>', 'where to write')
    .action(runs<Options>(surroundings, exportOne));
}

async function exportOne({ options, positionals: [kind = ''], context }: Input<Options>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation: { pool } }) => {
    const { account: accountId, mode, format, out: file } = options;
    try {
      const result = await exportToFile(createExportStore({ pool }), {
        accountId,
        mode,
        kind: kind as ExportKind,
        format,
        file,
        onPage: (bookings) => context.print(`${bookings} bookings written`),
      });
      if (!result.ok) {
        const [code, message, advice] = REFUSALS[result.reason];
        return failed(code, message, advice);
      }
      const { bookings, bytes, resumed } = result;
      const text = `${bookings} bookings ${resumed ? 'appended to' : 'written to'} ${file}, now ${bytes} bytes.`;
      return done({ file, bookings, bytes, resumed }, text);
    } catch (problem) {
      if ((problem as { code?: unknown }).code !== 'EEXIST') throw problem;
      return failed('file_exists', `${file} exists and has no .cursor beside it.`, 'Name another file with --out.');
    }
  });
}
