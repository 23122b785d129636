import type { Mode } from '@svc-pay/core';
import { parseUsd, printUsdMicros, type UsdMicros, usdToMicros } from '@svc-pay/money';
import { readAccountLimits, setAccountLimits } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { unknownAccount } from './refusals.ts';

type Show = { readonly account: string };
type Change = { readonly account: string; readonly mode: Mode; readonly minimumUsd: string };

const NONE = 'none';
/** Upper limit in millionths of a dollar: a billion dollars, far below what the column holds. */
const MAX_MICROS = 10n ** 15n;

export function limitsCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Set the smallest payment of an account, in dollars. On each network the higher one of this and `minimumUsd` of SVC_NETWORKS counts, for new intents; what was offered stays payable.',
    [
      'accounts limits set --account acct_… --mode live --minimum-usd 0.50',
      'accounts limits set --account acct_… --mode live --minimum-usd none',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--minimum-usd <dollars>', 'such as 0.50; `none` leaves it to the networks')
    .action(runs<Change>(surroundings, setOne));
  const show = leaf('show', 'Show the limits of an account, by mode.', ['accounts limits show --account acct_…'])
    .addOption(accountOption().makeOptionMandatory())
    .action(runs<Show>(surroundings, showOne));
  return new Command('limits').description('Limit what an account takes.').addCommand(set).addCommand(show);
}

async function setOne({ options, context }: Input<Change>): Promise<CommandOutcome> {
  const { account, mode } = options;
  const minimumUsdMicros = options.minimumUsd === NONE ? null : readMinimum(options.minimumUsd);
  if (minimumUsdMicros === undefined) return misused('The minimum is an amount of dollars such as 0.50, or `none`.');
  return withOperation(context, [], async ({ operation }) => {
    if (!(await setAccountLimits(operation, account, { mode, minimumUsdMicros }))) return unknownAccount(account);
    const minimumUsd = shownMinimum(minimumUsdMicros);
    return done(
      { accountId: account, mode, minimumUsd },
      minimumUsd === null
        ? `New ${mode} intents of ${account} have the minimum of their network.`
        : `New ${mode} intents of ${account} are offered from ${minimumUsd} dollars on, or from the minimum of their network if that is higher.`,
    );
  });
}

async function showOne({ options, context }: Input<Show>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const limits = await readAccountLimits(operation.pool, options.account);
    if (limits.length === 0) return unknownAccount(options.account);
    const shown = limits.map(({ mode, minimumUsdMicros }) => ({ mode, minimumUsd: shownMinimum(minimumUsdMicros) }));
    const text = table(
      shown,
      [
        { head: 'MODE', cell: ({ mode }) => mode },
        { head: 'MINIMUM (USD)', cell: ({ minimumUsd }) => minimumUsd ?? 'of the network' },
      ],
      context.paint,
    );
    return done({ accountId: options.account, limits: shown }, text);
  });
}

/** Fractions of a millionth are rounded up. */
function readMinimum(text: string): UsdMicros | undefined {
  const read = parseUsd(text);
  const micros = read.ok ? usdToMicros(read.usd, 'up') : undefined;
  return micros !== undefined && micros <= MAX_MICROS ? micros : undefined;
}

const shownMinimum = (micros: UsdMicros | null) => (micros === null ? null : printUsdMicros(micros));
