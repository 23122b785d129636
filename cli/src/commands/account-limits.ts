import type { Mode } from '@svc-pay/core';
import { parseUsd, printUsdMicros, type UsdMicros, usdMicros, usdToMicros } from '@svc-pay/money';
import { Command } from 'commander';
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
  readonly minimumUsd?: string;
  readonly rate?: string;
};

const NONE = 'none';
/** Upper limit in millionths of a dollar: a billion dollars, far below what the column holds. */
const MAX_MICROS = 10n ** 15n;
const MAX_RATE = 1_000_000;

export function limitsCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Set limits of an account; what is left out stays as it is. The smallest payment: on each network the higher ' +
      'one of this and `minimumUsd` of SVC_NETWORKS counts, for new intents; what was offered stays payable. The ' +
      'rate: requests per second and class of each key of the account, instead of SVC_API_RATE_LIVE or ' +
      'SVC_API_RATE_TEST; the account has four times as much.',
    [
      'accounts limits set --account acct_… --mode live --minimum-usd 0.50',
      'accounts limits set --account acct_… --mode live --minimum-usd none',
      'accounts limits set --account acct_… --mode live --rate 400',
      'accounts limits set --account acct_… --mode live --rate none',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .option('--minimum-usd <dollars>', 'such as 0.50; `none` leaves it to the networks')
    .option('--rate <requests>', 'such as 400; `none` leaves it to the installation')
    .action(runs<Change>(surroundings, setOne));
  const show = leaf('show', 'Show the limits of an account, by mode.', ['accounts limits show --account acct_…'])
    .addOption(accountOption().makeOptionMandatory())
    .action(runs<Show>(surroundings, showOne));
  return new Command('limits').description('Limit what an account takes.').addCommand(set).addCommand(show);
}

async function setOne({ options, context }: Input<Change>): Promise<CommandOutcome> {
  const { account, mode } = options;
  if (options.minimumUsd === undefined && options.rate === undefined)
    return misused('Name a limit: `--minimum-usd` or `--rate`.');
  const minimumUsdMicros = options.minimumUsd === NONE ? null : readMinimum(options.minimumUsd);
  if (options.minimumUsd !== undefined && minimumUsdMicros === undefined)
    return misused('The minimum is an amount of dollars such as 0.50, or `none`.');
  const ratePerSecond = options.rate === NONE ? null : readRate(options.rate);
  if (options.rate !== undefined && ratePerSecond === undefined)
    return misused(`The rate is a whole number from 1 to ${MAX_RATE}, or \`none\`.`);
  const change = {
    ...(minimumUsdMicros !== undefined && { minimumUsdMicros: minimumUsdMicros?.toString() ?? null }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
  };
  return withAdmin(context, {}, async (admin) => {
    if (!(await admin.setLimits({ accountId: account, mode, ...change })).ok) return unknownAccount(account);
    const minimumUsd = minimumUsdMicros === undefined ? undefined : shownMinimum(minimumUsdMicros);
    const told = [...toldMinimum(account, mode, minimumUsd), ...toldRate(account, mode, ratePerSecond)];
    const document = {
      accountId: account,
      mode,
      ...(minimumUsd !== undefined && { minimumUsd }),
      ...(ratePerSecond !== undefined && { ratePerSecond }),
    };
    return done(document, told.join('\n'));
  });
}

function toldMinimum(account: string, mode: Mode, minimumUsd: string | null | undefined): readonly string[] {
  if (minimumUsd === undefined) return [];
  return minimumUsd === null
    ? [`New ${mode} intents of ${account} have the minimum of their network.`]
    : [
        `New ${mode} intents of ${account} are offered from ${minimumUsd} dollars on, or from the minimum of ` +
          'their network if that is higher.',
      ];
}

function toldRate(account: string, mode: Mode, rate: number | null | undefined): readonly string[] {
  if (rate === undefined) return [];
  return rate === null
    ? [`The ${mode} keys of ${account} have the quota of the installation.`]
    : [`Each ${mode} key of ${account} may send ${rate} requests of each class a second.`];
}

async function showOne({ options, context }: Input<Show>): Promise<CommandOutcome> {
  return withAdmin(context, {}, async (admin) => {
    const read = await admin.getAccount({ accountId: options.account });
    if (!read.ok) return unknownAccount(options.account);
    const shown = read.limits.map(({ mode, minimumUsdMicros: micros, ratePerSecond }) => ({
      mode,
      minimumUsd: shownMinimum(micros === null ? null : usdMicros(BigInt(micros))),
      ratePerSecond,
    }));
    const text = table(
      shown,
      [
        { head: 'MODE', cell: ({ mode }) => mode },
        { head: 'MINIMUM (USD)', cell: ({ minimumUsd }) => minimumUsd ?? 'of the network' },
        { head: 'RATE', cell: ({ ratePerSecond }) => ratePerSecond?.toString() ?? 'of the installation' },
      ],
      context.paint,
    );
    return done({ accountId: options.account, limits: shown }, text);
  });
}

/** Fractions of a millionth are rounded up. */
function readMinimum(text: string | undefined): UsdMicros | undefined {
  if (text === undefined) return undefined;
  const read = parseUsd(text);
  const micros = read.ok ? usdToMicros(read.usd, 'up') : undefined;
  return micros !== undefined && micros <= MAX_MICROS ? micros : undefined;
}

const shownMinimum = (micros: UsdMicros | null) => (micros === null ? null : printUsdMicros(micros));

function readRate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,6}$/.test(text)) return undefined;
  const rate = Number.parseInt(text, 10);
  return rate <= MAX_RATE ? rate : undefined;
}
