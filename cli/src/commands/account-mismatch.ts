import { MISMATCH_HANDLINGS, type MismatchHandling, type Mode } from '@svc-pay/core';
import { isBasisPoints, parseUsd, printUsdMicros, usdMicros, usdToMicros } from '@svc-pay/money';
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
  readonly toleranceUsd?: string;
  readonly toleranceBps?: string;
  readonly over?: MismatchHandling;
  readonly under?: MismatchHandling;
};

/** A billion dollars in millionths. */
const MAX_MICROS = 10n ** 15n;

export function mismatchCommand(surroundings: Surroundings): Command {
  const set = leaf(
    'set',
    'Set what is done with another amount than an intent asks for; what is left out stays as it is. Of both tolerances ' +
      'the larger counts, up to a tenth of what is asked. `accept`: it pays the intent. `hold`: it waits ' +
      'for further parts or for the merchant. `refund`: what was not asked for is due back. Money that is found later is judged by it.',
    [
      'accounts mismatch set --account acct_… --mode live --tolerance-usd 0.05 --tolerance-bps 50',
      'accounts mismatch set --account acct_… --mode live --over accept --under refund',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .option('--tolerance-usd <dollars>', 'a difference that counts as none, such as 0.05')
    .option('--tolerance-bps <bps>', 'the same in hundredths of a percent of what is asked, 0 to 10000')
    .addOption(handlingOption('over', 'of more than asked, and of money that an intent no longer asks for'))
    .addOption(handlingOption('under', 'of less than asked'))
    .action(runs<Change>(surroundings, setOne));
  const show = leaf('show', 'Show what is done with another amount, by mode.', [
    'accounts mismatch show --account acct_…',
  ])
    .addOption(accountOption().makeOptionMandatory())
    .action(runs<Show>(surroundings, showOne));
  return new Command('mismatch').description('Judge other amounts than asked.').addCommand(set).addCommand(show);
}

const handlingOption = (name: 'over' | 'under', about: string) =>
  new Option(`--${name} <what>`, about).choices(MISMATCH_HANDLINGS);

async function setOne({ options, context }: Input<Change>): Promise<CommandOutcome> {
  const { account, mode, toleranceUsd, toleranceBps: bpsText, over, under } = options;
  if (toleranceUsd === undefined && bpsText === undefined && over === undefined && under === undefined)
    return misused('Name what to set: `--tolerance-usd`, `--tolerance-bps`, `--over` or `--under`.');
  const toleranceUsdMicros = readDollars(toleranceUsd);
  if (toleranceUsd !== undefined && toleranceUsdMicros === undefined)
    return misused('The tolerance is an amount of dollars such as 0.05, or 0.');
  const toleranceBps = readBps(bpsText);
  if (bpsText !== undefined && toleranceBps === undefined)
    return misused('The tolerance in basis points is a whole number from 0 to 10000.');
  const change = {
    ...(toleranceUsdMicros !== undefined && { toleranceUsdMicros }),
    ...(toleranceBps !== undefined && { toleranceBps }),
    ...(over !== undefined && { over }),
    ...(under !== undefined && { under }),
  };
  return withAdmin(context, {}, async (admin) => {
    const set = await admin.setMismatch({ accountId: account, mode, ...change });
    if (!set.ok) return unknownAccount(account);
    const shown = shownPolicy(set.mismatch);
    return done(
      { accountId: account, ...shown },
      `${mode} payments of ${account}: a difference up to ${shown.toleranceUsd} dollars or ${shown.toleranceBps} basis ` +
        `points counts as none; more: ${shown.over}; less: ${shown.under}.`,
    );
  });
}

async function showOne({ options, context }: Input<Show>): Promise<CommandOutcome> {
  return withAdmin(context, {}, async (admin) => {
    const read = await admin.getAccount({ accountId: options.account });
    if (!read.ok) return unknownAccount(options.account);
    const shown = read.mismatch.map(shownPolicy);
    const text = table(
      shown,
      [
        { head: 'MODE', cell: ({ mode }) => mode },
        { head: 'TOLERANCE (USD)', cell: ({ toleranceUsd }) => toleranceUsd },
        { head: 'TOLERANCE (BPS)', cell: ({ toleranceBps }) => toleranceBps.toString() },
        { head: 'MORE', cell: ({ over }) => over },
        { head: 'LESS', cell: ({ under }) => under },
      ],
      context.paint,
    );
    return done({ accountId: options.account, mismatch: shown }, text);
  });
}

type Policy = {
  readonly mode: Mode;
  readonly toleranceUsdMicros: string;
  readonly toleranceBps: number;
  readonly over: MismatchHandling;
  readonly under: MismatchHandling;
};

const shownPolicy = ({ toleranceUsdMicros, ...policy }: Policy) => ({
  ...policy,
  toleranceUsd: printUsdMicros(usdMicros(BigInt(toleranceUsdMicros))),
});

/** In millionths. A fraction of one is left out: nobody tolerates more than they said. */
function readDollars(text: string | undefined): string | undefined {
  const read = text === undefined ? undefined : parseUsd(text);
  const micros = read?.ok === true ? usdToMicros(read.usd, 'down') : undefined;
  return micros !== undefined && micros <= MAX_MICROS ? micros.toString() : undefined;
}

function readBps(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined;
  const bps = Number.parseInt(text, 10);
  return isBasisPoints(bps) ? bps : undefined;
}
