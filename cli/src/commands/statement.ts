import { type DaySum, type Mode, readDay, STATEMENT_READY_MS, statementLines } from '@svc-pay/core';
import { createExportStore } from '@svc-pay/postgres/operator';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';

type Options = { readonly account: string; readonly mode: Mode; readonly day: string };

const COMMIT_WAIT_MS = 30_000;

export function statementCommand(surroundings: Surroundings): Command {
  return leaf(
    'statement',
    'Show what the ledger booked for an account on a day (UTC), by chain and token. A day can be read from ten ' +
      'minutes after its end.',
    [
      'statement --account acct_… --mode live --day 2026-11-16',
      'statement --account acct_… --mode live --day 2026-11-16 --json',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--day <day>', 'such as 2026-11-16')
    .action(runs<Options>(surroundings, showStatement));
}

async function showStatement({ options, context }: Input<Options>): Promise<CommandOutcome> {
  const { account: accountId, mode, day } = options;
  const range = readDay(day);
  if (range === undefined) return misused('--day takes a day, such as 2026-11-16.');
  if (context.clock.nowMs() < range.toMs + STATEMENT_READY_MS)
    return failed('statement_not_ready', `${day} can be read from ten minutes after its end (UTC).`);
  return withOperation(context, [], async ({ operation: { pool } }) => {
    const store = createExportStore({ pool });
    if (!(await store.allCommitted(COMMIT_WAIT_MS)))
      return failed(
        'statement_not_ready',
        'A transaction runs for long, and may have booked something of the day.',
        'Run the command again, or find the transaction in pg_stat_activity.',
      );
    const sums: DaySum[] = [];
    for (let afterId: string | undefined = ''; afterId !== undefined; ) {
      const part = await store.sumDay({ accountId, mode, ...range, afterId });
      if (!part.ok) return failed('export_busy', 'Another export of the account is running.', 'Run the command again.');
      sums.push(...part.sums);
      afterId = part.hasMore ? part.lastId : undefined;
    }
    const lines = statementLines(sums);
    if (lines.length === 0) return done({ day, lines }, `${day}: nothing is booked.`);
    const text = table(
      lines,
      [
        { head: 'CHAIN', cell: ({ chain }) => chain },
        { head: 'TOKEN', cell: ({ tokenShortcode, asset }) => tokenShortcode ?? asset },
        { head: 'PAYMENTS', cell: ({ payments }) => String(payments) },
        { head: 'REVERSALS', cell: ({ reversals }) => String(reversals) },
        { head: 'GROSS', cell: ({ gross }) => gross },
        { head: 'FEE', cell: ({ fee }) => fee },
        { head: 'SPLITS', cell: ({ splits }) => splits },
        { head: 'REFUND', cell: ({ refund }) => refund },
        { head: 'ESCROW', cell: ({ escrow }) => escrow },
        { head: 'REFUNDED', cell: ({ refunded }) => refunded },
        { head: 'NET', cell: ({ net }) => net },
        { head: 'GAS', cell: ({ gas, gasToken }) => `${gas} ${gasToken ?? ''}`.trim() },
      ],
      context.paint,
    );
    return done({ day, lines }, text);
  });
}
