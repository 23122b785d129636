// Ends a direct payout, or one on Solana or the Internet Computer, at once.
import { parseNetwork } from '@svc-pay/protocol';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withAdmin } from '../command/with-admin.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { shownPayouts } from './shown-payouts.ts';

type DisableOptions = { readonly account: string; readonly network: string; readonly payoutId: string };

export function payoutsDisableCommand(surroundings: Surroundings): Command {
  return leaf(
    'disable',
    'End a direct payout, or one on Solana or the Internet Computer, at once: no new intent offers its wallet, and no payment to it is accepted or sent. The ' +
      'wallets that it replaced end with it; going back to one of them takes a new activation. A change that has ' +
      'not taken effect can be ended too: then the wallet before it stays in use.',
    ['payouts disable --account acct_… --network eip155:84532 --payout-id 7'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .requiredOption('--network <name>', 'such as eip155:84532')
    .requiredOption('--payout-id <number>', 'number of the payout')
    .action(runs<DisableOptions>(surroundings, disable));
}

async function disable({ options, context }: Input<DisableOptions>): Promise<CommandOutcome> {
  const network = parseNetwork(options.network);
  if (network === undefined) return misused('--network: no such network');
  if (!/^\d{1,18}$/.test(options.payoutId)) return misused('--payout-id is a whole number');
  return withAdmin(context, {}, async (admin) => {
    const { account: accountId, payoutId } = options;
    const result = await admin.disablePayout({ accountId, network, payoutId });
    if (result.ok) {
      const { payouts, change } = result;
      const [payout, ...others] = payouts;
      const words = change === 'none' ? 'It was disabled already.' : 'Disabled.';
      const also = others.length === 0 ? '' : ' The wallets that it replaced are disabled with it.';
      return done(
        { payout, alsoDisabled: others, change },
        `${words}${also}\n\n${shownPayouts(payouts, context.paint)}`,
      );
    }
    return result.code === 'payout_unknown'
      ? failed(result.code, 'The account has no such payout.', 'Look at `payouts list`.')
      : failed(result.code, 'The payout is a processor’s.', 'Retire it on chain; `payouts sync` follows.');
  });
}
