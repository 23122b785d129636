import { MAX_ORIGINS, type Mode, type PublishableRights, readOrigin } from '@svc-pay/core';
import { Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withAdmin } from '../command/with-admin.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { unknownAccount } from './refusals.ts';

type Show = { readonly account: string };
type Change = {
  readonly account: string;
  readonly mode: Mode;
  readonly origins?: string;
  readonly creates?: 'yes' | 'no';
};

const ANY = 'any';

export function publishableCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Set which pages may use the publishable keys of an account, and whether these keys may create intents. What ' +
      'is not given stays.',
    [
      'accounts publishable set --account acct_… --mode live --origins https://shop.example,https://www.shop.example',
      'accounts publishable set --account acct_… --mode live --origins any',
      'accounts publishable set --account acct_… --mode live --creates no',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .option('--origins <list>', `at most ${MAX_ORIGINS}, such as https://shop.example; \`any\` allows every page`)
    .addOption(new Option('--creates <yes|no>', '`no`: only the secret key creates intents').choices(['yes', 'no']))
    .action(runs<Change>(surroundings, setOne));
  const show = leaf('show', 'Show what the publishable keys of an account may do, by mode.', [
    'accounts publishable show --account acct_…',
  ])
    .addOption(accountOption().makeOptionMandatory())
    .action(runs<Show>(surroundings, showOne));
  return new Command('publishable').description('Limit what publishable keys may do.').addCommand(set).addCommand(show);
}

async function setOne({ options, context }: Input<Change>): Promise<CommandOutcome> {
  const { account, mode, origins, creates } = options;
  if (origins === undefined && creates === undefined) return misused('Give --origins, --creates, or both.');
  const read = origins === undefined || origins === ANY ? null : readOrigins(origins, mode);
  if (read === undefined)
    return misused(
      `Origins are at most ${MAX_ORIGINS}, separated by commas, each a scheme and a host such as ` +
        'https://shop.example; live mode takes https alone, except on localhost.',
    );
  const change: Partial<PublishableRights> = {
    ...(origins !== undefined && { origins: read }),
    ...(creates !== undefined && { creates: creates === 'yes' }),
  };
  return withAdmin(context, {}, async (admin) => {
    const set = await admin.setPublishable({ accountId: account, mode, ...change });
    if (!set.ok) return unknownAccount(account);
    const after = set.publishable;
    return done(
      { accountId: account, ...after },
      `The publishable ${mode} keys of ${account}: used by ${shownOrigins(after)}; ${shownCreates(after)}. Every ` +
        'API process follows within its cache time.',
    );
  });
}

/** Undefined if one of them is no origin, or there are too many. */
function readOrigins(text: string, mode: Mode): readonly string[] | undefined {
  const origins = [...new Set(text.split(',').map((one) => readOrigin(one.trim(), mode)))];
  const known = origins.filter((origin) => origin !== undefined);
  return known.length === origins.length && known.length <= MAX_ORIGINS ? known : undefined;
}

async function showOne({ options, context }: Input<Show>): Promise<CommandOutcome> {
  return withAdmin(context, {}, async (admin) => {
    const read = await admin.getAccount({ accountId: options.account });
    if (!read.ok) return unknownAccount(options.account);
    const rights = read.publishable;
    const text = table(
      rights,
      [
        { head: 'MODE', cell: ({ mode }) => mode },
        { head: 'USED BY', cell: shownOrigins },
        { head: 'CREATING', cell: shownCreates },
      ],
      context.paint,
    );
    return done({ accountId: options.account, publishable: rights }, text);
  });
}

const shownOrigins = ({ origins }: PublishableRights) =>
  origins === null ? 'every page' : `pages of ${origins.join(', ')}`;
const shownCreates = ({ creates }: PublishableRights) =>
  creates ? 'they create intents' : 'only the secret key creates intents';
