import { erasePayer, exportPayer, PAYER_TABLES } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { referenceOf } from './reference.ts';

type Erase = { readonly yes?: boolean };

/** Long timeout: reads every table once, and tables may hold years of rows. */
const READING = { statementTimeoutMs: 3_600_000 };
const SHORTEST_PAYER = 8;

export function privacyCommand(surroundings: Surroundings): Command {
  const give = leaf(
    'export',
    'Show every row that names a payer, in all accounts. The audit record notes the export.',
    ['privacy export 0x… --json > payer.json'],
  )
    .argument('<payer>', 'address of the payer')
    .action(runs(surroundings, exportOne));
  const erase = leaf(
    'erase',
    'Erase a payer’s data. Payments that moved money stay, and open payments stay until they end: run the ' +
      'command again then. Reasons: docs/operate/privacy.md.',
    ['privacy erase 0x…', 'privacy erase 0x… --yes --json'],
  )
    .argument('<payer>', 'address of the payer')
    .option('--yes', 'do not ask')
    .action(runs<Erase>(surroundings, eraseOne));
  return new Command('privacy').description('Answer people who ask for their data.').addCommand(give).addCommand(erase);
}

async function exportOne({ positionals: [payer = ''], context }: Input<unknown>): Promise<CommandOutcome> {
  if (!isPayer(payer)) return noPayer();
  return withOperation(
    context,
    ['keyPeppers'],
    async ({ operation, config }) => {
      const reference = referenceOf(config.keyPeppers[0].bytes, 'payer', payer);
      const rows = await exportPayer(operation, payer, reference);
      const counts = PAYER_TABLES.map((name) => ({ name, count: rows[name].length }));
      const total = counts.reduce((sum, { count }) => sum + count, 0);
      const text = [
        total === 0 ? 'No row names this payer.' : shownCounts(counts, context.paint),
        ...(total === 0 ? [] : ['', 'With --json the rows themselves are printed.']),
      ].join('\n');
      return done({ payer, reference, rows }, text);
    },
    READING,
  );
}

async function eraseOne({ options, positionals: [payer = ''], context }: Input<Erase>): Promise<CommandOutcome> {
  if (!isPayer(payer)) return noPayer();
  if (options.yes !== true) {
    if (context.ask === undefined)
      return misused('Nobody is at the terminal to ask.', 'Add --yes to erase without a question.');
    const answer = await context.ask(`Forget ${payer} in all accounts? This can't be taken back. Type yes: `);
    if (answer.trim() !== 'yes') return failed('not_confirmed', 'Nothing was erased.');
  }
  return withOperation(
    context,
    ['keyPeppers'],
    async ({ operation, config }) => {
      const reference = referenceOf(config.keyPeppers[0].bytes, 'payer', payer);
      const { erased, kept, waitForRecovery } = await erasePayer(operation, payer, reference);
      const counts = PAYER_TABLES.map((name) => ({
        name,
        count: name in erased ? erased[name as keyof typeof erased] : 0,
        kept: kept[name],
      }));
      const text = [
        table(
          counts,
          [
            { head: 'TABLE', cell: ({ name }) => name },
            { head: 'ERASED', cell: ({ count }) => String(count) },
            { head: 'KEPT', cell: (row) => String(row.kept) },
          ],
          context.paint,
        ),
        '',
        ...(waitForRecovery === 0 ? [] : [waitText(waitForRecovery), '']),
        `On record as ${reference}. docs/operate/privacy.md says why rows are kept.`,
      ].join('\n');
      return done({ reference, erased, kept, waitForRecovery }, text);
    },
    READING,
  );
}

const waitText = (count: number) =>
  `${count} authorization${count === 1 ? '' : 's'} kept: money that came in by ${count === 1 ? 'it' : 'them'} is ` +
  'not settled or returned yet, and that needs payer and signature. Run the command again when ' +
  `\`svc.stranded_transfers\` has the rows as done and their blocks are final.`;

const shownCounts = (counts: readonly { name: string; count: number }[], paint: Parameters<typeof table>[2]) =>
  table(
    counts,
    [
      { head: 'TABLE', cell: ({ name }) => name },
      { head: 'ROWS', cell: ({ count }) => String(count) },
    ],
    paint,
  );

/** Minimum length, because metadata and events are searched for the text and a short text would match too much. */
const isPayer = (text: string) =>
  text.length >= SHORTEST_PAYER && text.length <= 128 && harmless(text) === text && !/\s/.test(text);
const noPayer = () => misused(`A payer is an address of ${SHORTEST_PAYER} characters or more.`);
