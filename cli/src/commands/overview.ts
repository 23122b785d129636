import { isoTime } from '@svc-pay/core';
import { rebuildOverview } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done } from '../output/outcome.ts';

const STATEMENT_TIMEOUT_MS = 600_000;

export function overviewCommand(surroundings: Surroundings): Command {
  const rebuild = leaf(
    'rebuild',
    'Count the figures of the overview anew, from the first booking on. The figures of before are shown until the new ones have ' +
      'everything. Services go on meanwhile. Run it again if it was stopped.',
    ['overview rebuild', 'overview rebuild --json'],
  ).action(runs(surroundings, rebuildAll));
  return new Command('overview').description('The figures of accounts over time.').addCommand(rebuild);
}

async function rebuildAll({ context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(
    context,
    [],
    async ({ operation }) => {
      const { folded, asOfMs } = await rebuildOverview(operation.pool, (counted) =>
        context.print(`${counted} bookings and changes are counted …\n`),
      );
      const asOf = isoTime(asOfMs);
      return done(
        { folded, asOf },
        `${folded} bookings and changes were counted. Everything up to ${asOf} is in the figures.`,
      );
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}
