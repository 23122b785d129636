import { findChain, findTokenOf } from '@svc-pay/core';
import { printSigned } from '@svc-pay/money';
import { type AccountCost, readCosts } from '@svc-pay/postgres/operator';
import { familyOf, parseNetwork } from '@svc-pay/protocol';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';
import { readDurationMs } from './duration.ts';

type Options = { readonly account?: string; readonly from: string; readonly to: string };

/** Long timeout: a month of the books is read. */
const STATEMENT_TIMEOUT_MS = 600_000;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

export function costCommand(surroundings: Surroundings): Command {
  return leaf(
    'cost',
    'Show what payments cost and earn, by account and network: gas paid, the part of it that settled nothing, ' +
      'and fees. Reads the books of a period.',
    ['cost', 'cost --from 24h --account acct_…', 'cost --from 2026-10-01 --to 2026-11-01 --json'],
  )
    .addOption(accountOption())
    .option('--from <time>', 'a day, a time such as 2026-11-15T12:00:00Z, or how long ago: 90m, 24h, 7d', '30d')
    .option('--to <time>', 'the same; `0` is now', '0')
    .action(runs<Options>(surroundings, showCosts));
}

async function showCosts({ options, context }: Input<Options>): Promise<CommandOutcome> {
  const nowMs = context.clock.nowMs();
  const [fromMs, toMs] = [readTimeMs(options.from, nowMs), readTimeMs(options.to, nowMs)];
  if (fromMs === undefined || toMs === undefined)
    return misused('--from and --to take a day, a time such as 2026-11-15T12:00:00Z, or 90m, 24h, 7d.');
  if (fromMs >= toMs) return misused('--from must be before --to.');
  return withOperation(
    context,
    [],
    async ({ operation: { pool } }) => {
      const costs = (await readCosts(pool, { fromMs, toMs }, options.account ?? null)).map(shownCost);
      const period = { from: timeOrNull(fromMs), to: timeOrNull(toMs) };
      const head = `From ${shownTime(fromMs)} to ${shownTime(toMs)} (UTC)`;
      if (costs.length === 0) return done({ ...period, costs }, `${head}: nothing is booked.`);
      const text = table(
        costs,
        [
          { head: 'ACCOUNT', cell: ({ accountId }) => accountId ?? '(not known)' },
          { head: 'MODE', cell: ({ mode }) => mode },
          { head: 'NETWORK', cell: ({ network }) => network },
          { head: 'PAYMENTS', cell: ({ payments }) => String(payments) },
          { head: 'GAS PAID', cell: ({ gasPaid, coin }) => `${gasPaid} ${coin}` },
          { head: 'OF IT LOST', cell: ({ gasLost, coin }) => `${gasLost} ${coin}` },
          { head: 'FEES', cell: ({ fees }) => fees.map(({ amount, token }) => `${amount} ${token}`).join(', ') },
        ],
        context.paint,
      );
      return done({ ...period, costs }, `${head}\n\n${text}`);
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}

function readTimeMs(text: string, nowMs: number): number | undefined {
  const agoMs = readDurationMs(text);
  if (agoMs !== undefined) return nowMs - agoMs;
  const atMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

function shownCost({ accountId, mode, network: name, payments, gasPaidAtomic, gasLostAtomic, fees }: AccountCost) {
  const network = parseNetwork(name);
  const decimals = network !== undefined && familyOf(network) === 'solana' ? 9 : 18;
  const coin = (network && findChain(network)?.gasSymbol) ?? 'coins';
  return {
    accountId,
    mode,
    network: name,
    payments,
    coin,
    gasPaid: printSigned(gasPaidAtomic, decimals),
    gasLost: printSigned(gasLostAtomic, decimals),
    fees: fees.map(({ asset, atomic }) => {
      const known = network && findTokenOf(network, asset);
      // Of a token that the catalogue no longer has, the smallest units are shown.
      return known === undefined
        ? { token: asset, amount: String(atomic) }
        : { token: known.symbol, amount: printSigned(atomic, known.unit.decimals) };
    }),
  };
}
