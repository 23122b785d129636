import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withAdmin } from '../command/with-admin.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { unknownAccount } from './refusals.ts';

type Close = { readonly account: string; readonly now?: boolean };

export function closeCommand(surroundings: Surroundings): Command {
  return leaf(
    'close',
    'Close an account for good: within a second the API refuses all its keys, and no new key is made. Payments ' +
      'under way are settled and announced. Confirmed up-to payments can then no longer be charged, so an account ' +
      'that has some is closed only with --now.',
    ['accounts close --account acct_…', 'accounts close --account acct_… --now'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .option('--now', 'close it although confirmed up-to payments will never be charged')
    .action(runs<Close>(surroundings, closeOne));
}

async function closeOne({ options, context }: Input<Close>): Promise<CommandOutcome> {
  const { account: accountId, now = false } = options;
  return withAdmin(context, {}, async (admin) => {
    const result = await admin.closeAccount({ accountId, now });
    if (!result.ok) {
      if (result.code === 'account_unknown') return unknownAccount(accountId);
      if (!('open' in result))
        return failed(
          result.code,
          result.code === 'account_moving' ? 'The account moves to another cell.' : 'Another cell has the account.',
          result.code === 'account_moving'
            ? 'End the move, or abort it, and close the account where it is then.'
            : 'Close it there.',
        );
      return failed(
        result.code,
        `The account has ${result.open.openCaps} confirmed up-to payments, which only its own key can charge.`,
        'Let the merchant settle or release them, or close the account with --now.',
      );
    }
    const { changed, open } = result;
    const under = open.processing === 0 ? '' : ` ${open.processing} payments under way are settled and announced.`;
    return done(
      { accountId, changed, ...open },
      changed ? `Account ${accountId} is closed.${under}` : `Account ${accountId} was closed before.`,
    );
  });
}
