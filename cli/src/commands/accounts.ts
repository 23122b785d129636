import { isoTime, isPrintableName } from '@svc-pay/core';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withAdmin } from '../command/with-admin.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { shownTime } from '../output/times.ts';
import { closeCommand } from './account-close.ts';
import { limitsCommand } from './account-limits.ts';
import { metadataCommand } from './account-metadata.ts';
import { mismatchCommand } from './account-mismatch.ts';
import { moveCommand } from './account-move.ts';
import { sellerCommand } from './account-seller.ts';
import { publishableCommand } from './publishable-rights.ts';
import { SHOWN_ONCE, shownKeys } from './shown-key.ts';

type Create = { readonly name: string };

export function accountsCommand(surroundings: Surroundings): Command {
  const create = leaf(
    'create',
    'Create an account with test and live mode, and a publishable and a secret key for each mode.',
    ['accounts create --name "A shop"', 'accounts create --name "A shop" --json'],
  )
    .requiredOption('--name <name>', 'name of the account, for people')
    .action(runs<Create>(surroundings, createOne));
  const list = leaf('list', 'Show all accounts.', ['accounts list']).action(runs(surroundings, listAll));
  return new Command('accounts')
    .description('Make, list, limit, move and close accounts.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(closeCommand(surroundings))
    .addCommand(limitsCommand(surroundings))
    .addCommand(metadataCommand(surroundings))
    .addCommand(mismatchCommand(surroundings))
    .addCommand(moveCommand(surroundings))
    .addCommand(publishableCommand(surroundings))
    .addCommand(sellerCommand(surroundings));
}

async function createOne({ options, context }: Input<Create>): Promise<CommandOutcome> {
  const name = options.name.trim();
  if (!isPrintableName(name)) return misused('A name has 1 to 200 printable characters.');
  return withAdmin(context, { makesKeys: true }, async (admin) => {
    const { account, keys } = await admin.createAccount({ name });
    return done(
      { account, keys },
      [
        `Account ${context.paint.bold(account.id)} (${name}) is made.`,
        '',
        shownKeys(keys, context.paint),
        '',
        context.paint.warn(SHOWN_ONCE),
        `Next: \`${COMMAND} tokens enable … --account ${account.id} --mode test\`, then \`payouts set\`.`,
      ].join('\n'),
    );
  });
}

async function listAll({ context }: Input<unknown>): Promise<CommandOutcome> {
  return withAdmin(context, {}, async (admin) => {
    const { accounts } = await admin.listAccounts({});
    const text = table(
      accounts,
      [
        { head: 'ACCOUNT', cell: ({ id }) => id },
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'STATUS', cell: ({ status }) => status },
        { head: 'USABLE KEYS', cell: ({ usableKeys }) => String(usableKeys) },
        { head: 'MADE (UTC)', cell: ({ createdAtMs }) => shownTime(createdAtMs) },
      ],
      context.paint,
    );
    const data = accounts.map(({ createdAtMs, ...account }) => ({ ...account, createdAt: isoTime(createdAtMs) }));
    return done({ accounts: data }, accounts.length === 0 ? 'There are no accounts yet.' : text);
  });
}
