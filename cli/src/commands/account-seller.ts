import type { Mode } from '@svc-pay/core';
import { setProcessorSeller } from '@svc-pay/postgres/operator';
import { Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done } from '../output/outcome.ts';
import { unknownAccount } from './refusals.ts';

type Change = { readonly account: string; readonly mode: Mode; readonly processor: 'yes' | 'no' };

export function sellerCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Set whether x402 sellers of an account may name the processor as `payTo`, for payouts with fee or splits. A ' +
      'stock client’s signature to the processor names no merchant, so the default is no. An active wallet of the ' +
      'account goes first.',
    ['accounts seller set --account acct_… --mode live --processor yes'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(
      new Option('--processor <yes|no>', 'whether the processor is taken').choices(['yes', 'no']).makeOptionMandatory(),
    )
    .action(runs<Change>(surroundings, setOne));
  return new Command('seller').description('Set how stock x402 sellers of an account are paid.').addCommand(set);
}

async function setOne({ options, context }: Input<Change>): Promise<CommandOutcome> {
  const { account, mode, processor } = options;
  const takesProcessor = processor === 'yes';
  return withOperation(context, [], async ({ operation }) => {
    if (!(await setProcessorSeller(operation, account, mode, takesProcessor))) return unknownAccount(account);
    const told = takesProcessor ? 'may name the processor as payTo' : 'name a wallet of the account as payTo';
    return done(
      { accountId: account, mode, takesProcessor },
      `The ${mode} sellers of ${account} ${told}. Every API process follows within its cache time.`,
    );
  });
}
