import { isMetadataKey, MAX_METADATA_KEYS_DECLARED, type Mode } from '@svc-pay/core';
import { type DeclaredKey, declareMetadataKeys, listMetadataKeys } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { unknownAccount } from './refusals.ts';

type Change = { readonly account: string; readonly mode: Mode; readonly keys: string };
type Show = { readonly account: string };

const NONE = 'none';

export function metadataCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Declare the metadata keys by which an account finds its intents and payments, in place of those it has. ' +
      'Intents created from then on are found.',
    [
      'accounts metadata set --account acct_… --mode live --keys order,customer',
      'accounts metadata set --account acct_… --mode live --keys none',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--keys <list>', `at most ${MAX_METADATA_KEYS_DECLARED}, separated by commas; \`none\` for no key`)
    .action(runs<Change>(surroundings, setKeys));
  const show = leaf('show', 'Show the metadata keys that an account declared, by mode.', [
    'accounts metadata show --account acct_…',
  ])
    .addOption(accountOption().makeOptionMandatory())
    .action(runs<Show>(surroundings, showKeys));
  return new Command('metadata')
    .description('Declare metadata by which payments are found.')
    .addCommand(set)
    .addCommand(show);
}

async function setKeys({ options, context }: Input<Change>): Promise<CommandOutcome> {
  const { account, mode } = options;
  const keys = options.keys === NONE ? [] : [...new Set(options.keys.split(',').map((key) => key.trim()))];
  if (keys.length > MAX_METADATA_KEYS_DECLARED || !keys.every(isMetadataKey))
    return misused(
      `Keys are at most ${MAX_METADATA_KEYS_DECLARED}, separated by commas, each of 1 to 40 letters, digits, ` +
        'dots, dashes and underscores, and none begins with svc_.',
    );
  return withOperation(context, [], async ({ operation }) => {
    const declared = await declareMetadataKeys(operation, account, mode, keys);
    if (declared === undefined) return unknownAccount(account);
    const told = keys.length === 0 ? 'no metadata' : keys.join(', ');
    return done(
      { accountId: account, mode, keys: declared.map(shownKey) },
      `The ${mode} payments of ${account} are found by ${told}. Every API process follows within its cache time.`,
    );
  });
}

async function showKeys({ options, context }: Input<Show>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const declared = await listMetadataKeys(operation.pool, options.account);
    const text = table(
      declared,
      [
        { head: 'MODE', cell: ({ mode }) => mode },
        { head: 'KEY', cell: ({ key }) => key },
        { head: 'DECLARED (UTC)', cell: ({ declaredAt }) => declaredAt.toISOString() },
      ],
      context.paint,
    );
    const data = declared.map(({ mode, ...key }) => ({ mode, ...shownKey({ mode, ...key }) }));
    return done({ accountId: options.account, keys: data }, declared.length === 0 ? 'No keys are declared.' : text);
  });
}

const shownKey = ({ key, declaredAt }: DeclaredKey) => ({ key, declaredAt: declaredAt.toISOString() });
