import { type Mode, PAYOUT_STATUS } from '@svc-pay/core';
import { setPayout } from '@svc-pay/postgres/operator';
import { familyOf, type NetworkId } from '@svc-pay/protocol';
import { Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withAdmin } from '../command/with-admin.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { createPayoutAccounts } from './create-token-accounts.ts';
import { payoutsActivateCommand } from './payouts-activate.ts';
import { payoutsDisableCommand } from './payouts-disable.ts';
import { payoutsSyncCommand } from './payouts-sync.ts';
import { type PayoutOptions, readPayout } from './read-payout.ts';
import { unknownAccount } from './refusals.ts';
import { refuseMintingAccount } from './refuse-minting-account.ts';
import { registerPayout } from './register-payout.ts';
import { shownPayouts } from './shown-payouts.ts';

type SetOptions = PayoutOptions & { readonly keyFile?: string };
type List = { readonly account?: string; readonly mode?: Mode };

const EXAMPLE = 'payouts set --account acct_… --mode test --network eip155:84532 --merchant 0x… --fee-bps 100';

export function payoutsCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Set who receives the money of an account on a network. The terms of a payout id never change: new terms get ' +
      'a new id, and new intents use the newest active payout.',
    [EXAMPLE, `${EXAMPLE} --split 0x…:250`],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--network <name>', 'such as eip155:84532')
    .requiredOption('--merchant <address>', 'recipient of what remains after fee and splits')
    .requiredOption('--fee-bps <number>', 'the platform’s fee, 0 to 1000 hundredths of a percent')
    .option('--split <address:bps>', 'another recipient and its share; may be repeated', collect)
    .option('--processor <address>', 'payment processor (default: that of SVC_NETWORKS)')
    .option('--payout-id <number>', 'id on the processor (default: the next free one)')
    .addOption(
      new Option(
        '--status <status>',
        'pending until it is on chain (default: active in test mode and where nothing is registered on chain, else pending)',
      ).choices([PAYOUT_STATUS.pending, PAYOUT_STATUS.active]),
    )
    .option(
      '--key-file <file>',
      'file with the registrar’s private key: registers the payout on chain too, at SVC_RPC_URL. On Solana the ' +
        'key of whoever pays for the recipients’ token accounts, which are made once',
    )
    .action(runs<SetOptions>(surroundings, setOne));
  const list = leaf('list', 'Show payouts, oldest first.', ['payouts list --account acct_…'])
    .addOption(accountOption())
    .addOption(modeOption())
    .action(runs<List>(surroundings, listAll));
  return new Command('payouts')
    .description('Say where money goes.')
    .addCommand(set)
    .addCommand(payoutsActivateCommand(surroundings))
    .addCommand(payoutsDisableCommand(surroundings))
    .addCommand(list)
    .addCommand(payoutsSyncCommand(surroundings));
}

const REFUSALS = {
  payout_terms_fixed: (id = '') => `Payout ${id} has other terms, and terms of an id never change.`,
  payout_of_other_account: (id = '') => `Payout ${id} belongs to another account or mode.`,
  payout_disabled: (id = '') => `Payout ${id} was switched off, and stays so.`,
};

const collect = (text: string, before: readonly string[] = []) => [...before, text];

async function setOne({ options, context }: Input<SetOptions>): Promise<CommandOutcome> {
  const { keyFile } = options;
  const needs = keyFile === undefined ? [] : (['rpcUrl'] as const);
  return withOperation(context, needs, async ({ operation, config }) => {
    // With a key file the row stays pending until the steps on chain are done.
    const read = readPayout(
      keyFile === undefined ? options : { ...options, status: PAYOUT_STATUS.pending },
      config.networks,
    );
    if (!read.ok) return misused(read.message);
    if (keyFile !== undefined && familyOf(read.request.network) === 'icp')
      return misused('--key-file: nothing is registered on this network; leave it out');
    const unpayable =
      familyOf(read.request.network) === 'icp' &&
      (await refuseMintingAccount(read.request.network, read.request.merchant, config.networks));
    if (unpayable) return misused(unpayable);
    const result = await setPayout(operation, read.request);
    if (result.ok && keyFile !== undefined && familyOf(result.payout.network as NetworkId) === 'solana') {
      const { networks, rpcUrl } = config;
      const made = await createPayoutAccounts(operation, result.payout, { rpcUrl, keyFile, networks });
      if (!made.ok) return made.failure;
      const active = await setPayout(operation, { ...read.request, status: PAYOUT_STATUS.active });
      if (!active.ok) return failed(active.code, 'The payout changed meanwhile.', 'Look at `payouts list`.');
      const { created, transactionIds } = made;
      const words =
        created.length === 0 ? 'Every token account was there.' : `${created.length} token accounts were made.`;
      return done(
        { payout: active.payout, change: result.change, created, transactionIds },
        `${words}\n\n${shownPayouts([active.payout], context.paint)}`,
      );
    }
    if (result.ok) {
      const { payout, change } = result;
      if (keyFile !== undefined) {
        const registered = await registerPayout(operation, payout, { rpcUrl: config.rpcUrl, keyFile });
        if (!registered.ok) return registered.failure;
        const active = { ...payout, status: PAYOUT_STATUS.active };
        const data = { payout: active, change, transactionHash: registered.transactionHash };
        return done(data, `Registered on chain.\n\n${shownPayouts([active], context.paint)}`);
      }
      const words = { created: 'Set.', status: 'Its status changed.', none: 'It was so already.' }[change];
      return done({ payout, change }, `${words}\n\n${shownPayouts([payout], context.paint)}`);
    }
    if (result.code === 'account_unknown') return unknownAccount(options.account);
    return failed(result.code, REFUSALS[result.code](options.payoutId), 'Leave --payout-id out to get a new id.');
  });
}

async function listAll({ options, context }: Input<List>): Promise<CommandOutcome> {
  return withAdmin(context, {}, async (admin) => {
    const { payouts } = await admin.listPayouts({ accountId: options.account, mode: options.mode });
    return done(
      { payouts },
      payouts.length === 0 ? 'There are no such payouts.' : shownPayouts(payouts, context.paint),
    );
  });
}
