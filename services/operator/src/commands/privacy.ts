import { erasePayer, exportPayer, PAYER_TABLES } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { done, failed, misused, type Outcome } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { payerReference } from './payer-reference.ts';

type Erase = { readonly yes?: boolean };

/** Every table is read once, and they may hold years. */
const READING = { statementTimeoutMs: 3_600_000 };
const SHORTEST_PAYER = 8;

export function privacyCommand(surroundings: Surroundings): Command {
  const give = leaf('export', 'Show every row that names a payer, over all accounts. The reading is put on record.', [
    'privacy export 0x… --json > payer.json',
  ])
    .argument('<payer>', 'address of the payer')
    .action(runs(surroundings, exportOne));
  const erase = leaf(
    'erase',
    'Forget a payer wherever that breaks nothing. Payments that moved money stay, and what is still open stays until it is over: run it again then. docs/operate/privacy.md says why.',
    ['privacy erase 0x…', 'privacy erase 0x… --yes --json'],
  )
    .argument('<payer>', 'address of the payer')
    .option('--yes', 'do not ask')
    .action(runs<Erase>(surroundings, eraseOne));
  return new Command('privacy').description('Answer people who ask for their data.').addCommand(give).addCommand(erase);
}

async function exportOne({ positionals: [payer = ''], context }: Input<unknown>): Promise<Outcome> {
  if (!isPayer(payer)) return noPayer();
  return withOperation(
    context,
    ['keyPepper'],
    async ({ operation, config }) => {
      const reference = payerReference(config.keyPepper, payer);
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

async function eraseOne({ options, positionals: [payer = ''], context }: Input<Erase>): Promise<Outcome> {
  if (!isPayer(payer)) return noPayer();
  if (options.yes !== true) {
    if (context.ask === undefined)
      return misused('Nobody is at the terminal to ask.', 'Add --yes to erase without a question.');
    const answer = await context.ask(`Forget ${payer} in all accounts? This can't be taken back. Type yes: `);
    if (answer.trim() !== 'yes') return failed('not_confirmed', 'Nothing was erased.');
  }
  return withOperation(
    context,
    ['keyPepper'],
    async ({ operation, config }) => {
      const reference = payerReference(config.keyPepper, payer);
      const { erased, kept } = await erasePayer(operation, payer, reference);
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
        `On record as ${reference}. docs/operate/privacy.md says why rows are kept.`,
      ].join('\n');
      return done({ reference, erased, kept }, text);
    },
    READING,
  );
}

const shownCounts = (counts: readonly { name: string; count: number }[], paint: Parameters<typeof table>[2]) =>
  table(
    counts,
    [
      { head: 'TABLE', cell: ({ name }) => name },
      { head: 'ROWS', cell: ({ count }) => String(count) },
    ],
    paint,
  );

/** Short texts would match too much: metadata and events are searched for it. */
const isPayer = (text: string) =>
  text.length >= SHORTEST_PAYER && text.length <= 128 && harmless(text) === text && !/\s/.test(text);
const noPayer = () => misused(`A payer is an address of ${SHORTEST_PAYER} characters or more.`);
