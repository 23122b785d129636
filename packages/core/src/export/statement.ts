// The statement of a day: what was booked between two midnights (UTC), by chain and token. Its sums are linear in the entries,
// so parts of a day are added up line by line.
import { printSigned } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { StatementLine } from '@svc-pay/protocol/merchant';
import type { DaySum } from './export-store.ts';
import { coinOf, tokenOf } from './exported-rows.ts';

/** A day is read when transactions that began in it are over; entries are booked within minutes of their time. */
export const STATEMENT_READY_MS = 600_000;
const DAY_MS = 86_400_000;

/** The milliseconds of `2026-11-16`; undefined for what is no day. */
export function readDay(text: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  const fromMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(fromMs) && new Date(fromMs).toISOString().startsWith(text);
  return isDay ? { fromMs, toMs: fromMs + DAY_MS } : undefined;
}

export function statementLines(sums: readonly DaySum[]): readonly StatementLine[] {
  const tokens = Map.groupBy(sums, ({ network, asset }) => `${network} ${asset}`);
  return [...tokens.values()].flatMap((of) => {
    const [first] = of;
    return first === undefined ? [] : [lineOf(first.network as NetworkId, first.asset, of)];
  });
}

function lineOf(network: NetworkId, asset: string, sums: readonly DaySum[]): StatementLine {
  const token = tokenOf(network, asset);
  const coin = coinOf(network);
  const inToken = sums.filter(({ isGas }) => !isGas);
  const shown = (sign: bigint, ...accounts: readonly string[]) =>
    printSigned(
      inToken.reduce((sum, s) => (accounts.includes(s.accountName) ? sum + s.amountAtomic * sign : sum), 0n),
      token.decimals,
    );
  // Nothing else adds to a payer but a reversal.
  const refunds = inToken.filter(({ accountName, isReversal }) => accountName === 'payer' && !isReversal);
  const gas = sums.reduce((sum, s) => (s.isGas ? sum + s.amountAtomic : sum), 0n);
  return {
    chain: network,
    tokenShortcode: token.shortcode,
    asset,
    decimals: token.decimals,
    gasToken: coin.symbol,
    gasDecimals: coin.decimals,
    payments: countOf(inToken, false),
    reversals: countOf(inToken, true),
    gross: shown(-1n, 'payer', 'stranded'),
    fee: shown(1n, 'platform_fee'),
    splits: shown(1n, 'split'),
    refund: shown(1n, 'refund'),
    escrow: shown(1n, 'escrow'),
    net: shown(1n, 'merchant'),
    refunds: refunds.reduce((count, { added }) => count + added, 0),
    refunded: printSigned(
      refunds.reduce((sum, { addedAtomic }) => sum + addedAtomic, 0n),
      token.decimals,
    ),
    gas: printSigned(gas, coin.decimals),
  };
}

/** Each payment takes once from the payer or from stranded money; money that becomes stranded is none yet. */
function countOf(sums: readonly DaySum[], isReversal: boolean): number {
  return sums
    .filter((sum) => sum.isReversal === isReversal)
    .reduce((count, { accountName, added, taken }) => {
      const [out, back] = isReversal ? [added, taken] : [taken, added];
      if (accountName === 'payer') return count + out;
      return accountName === 'stranded' ? count + out - back : count;
    }, 0);
}
