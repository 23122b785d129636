import { createSecretBox, isoTime, KEY_KINDS, MODES, newKey } from '@svc-pay/core';
import { createAccount, listAccounts } from '@svc-pay/postgres/operator';
import { newId } from '@svc-pay/protocol/ids';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { shownTime } from '../output/times.ts';
import { limitsCommand } from './account-limits.ts';
import { SHOWN_ONCE, shownKey, shownKeys } from './shown-key.ts';

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
    .description('Make, list and limit accounts.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(limitsCommand(surroundings));
}

async function createOne({ options, context }: Input<Create>): Promise<CommandOutcome> {
  const name = options.name.trim();
  if (name === '' || name.length > 200 || harmless(name) !== name) {
    return misused('A name has 1 to 200 printable characters.');
  }
  return withOperation(context, ['keyPepper', 'masterKeys'], async ({ operation, config }) => {
    const { nowMs } = operation;
    const id = newId('account', nowMs);
    const secrets = { pepper: config.keyPepper, box: createSecretBox(config.masterKeys) };
    const keys = MODES.flatMap((mode) =>
      KEY_KINDS.map((kind) => newKey(secrets, { accountId: id, mode }, kind, nowMs)),
    );
    await createAccount(operation, { id, name, keys: keys.map(({ record }) => record) });
    return done(
      { account: { id, name }, keys: keys.map(shownKey) },
      [
        `Account ${context.paint.bold(id)} (${name}) is made.`,
        '',
        shownKeys(keys, context.paint),
        '',
        context.paint.warn(SHOWN_ONCE),
        `Next: \`${COMMAND} tokens enable … --account ${id} --mode test\`, then \`payouts set\`.`,
      ].join('\n'),
    );
  });
}

async function listAll({ context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const accounts = await listAccounts(operation.pool, operation.nowMs);
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
