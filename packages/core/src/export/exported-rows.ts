// Rows of an export. Amounts are decimal text in whole coins; the sum of a column is the ledger's, to the unit.
import { printSigned } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ExportedEntry, ExportedPayment } from '@svc-pay/protocol/merchant';
import { isoTime } from '../clock.ts';
import { NATIVE_ASSET, NETWORK_PARTY } from '../ledger/ledger-entry.ts';
import { findChain } from '../token/chain.ts';
import { findTokenOf } from '../token/find-token.ts';
import type { BookingEntry, ExportedBooking } from './export-store.ts';

const ERASED = 'erased';

/** One row for what was booked and one for what was reversed; several where one statement did both. */
export function paymentRows(booking: ExportedBooking): readonly ExportedPayment[] {
  const groups = Map.groupBy(booking.entries, ({ reverses, transactionId }) => `${reverses !== null} ${transactionId}`);
  return [...groups.values()].flatMap((entries) => {
    const [first] = entries;
    return first === undefined ? [] : [paymentRow(booking, entries, first)];
  });
}

function paymentRow(booking: ExportedBooking, entries: readonly BookingEntry[], first: BookingEntry): ExportedPayment {
  const { payment, network } = booking;
  const token = tokenOf(network, payment.asset);
  const coin = coinOf(network);
  const inToken = entries.filter(({ asset }) => asset !== NATIVE_ASSET);
  const sumOf = (...accounts: readonly string[]) =>
    inToken.filter(({ accountName }) => accounts.includes(accountName)).reduce((sum, e) => sum + e.amountAtomic, 0n);
  const gas = entries.reduce((sum, e) => (isGas(e) ? sum + e.amountAtomic : sum), 0n);
  const shown = (atomic: bigint) => printSigned(atomic, token.decimals);
  return {
    paymentId: payment.id,
    paymentIntentId: payment.intentId,
    bookingId: booking.id,
    bookedAt: isoTime(first.createdAtMs),
    kind: kindOf(inToken, first.reverses !== null),
    reversal: first.reverses !== null,
    chain: network,
    tokenShortcode: token.shortcode,
    asset: payment.asset,
    decimals: token.decimals,
    payer: payment.payer,
    gross: shown(-sumOf('payer', 'stranded')),
    fee: shown(sumOf('platform_fee')),
    splits: shown(sumOf('split')),
    refund: shown(sumOf('refund')),
    escrow: shown(sumOf('escrow')),
    net: shown(sumOf('merchant')),
    gas: printSigned(gas, coin.decimals),
    gasToken: coin.symbol,
    transactionId: first.transactionId,
    block: blockOf(booking, first),
    metadata: booking.metadata,
  };
}

export function ledgerRows(booking: ExportedBooking): readonly ExportedEntry[] {
  const { payment, network, entries } = booking;
  // Erased with the payment: every entry of the party that paid.
  const payers = new Set(
    entries
      .filter(({ accountName }) => accountName === 'payer' || accountName === 'stranded')
      .map(({ party }) => party),
  );
  return entries.map((entry) => {
    const isNative = entry.asset === NATIVE_ASSET;
    const token = tokenOf(network, entry.asset);
    const decimals = isNative ? coinOf(network).decimals : token.decimals;
    return {
      entryId: entry.id,
      bookingId: booking.id,
      paymentId: payment.id,
      paymentIntentId: payment.intentId,
      bookedAt: isoTime(entry.createdAtMs),
      chain: network,
      tokenShortcode: isNative ? null : token.shortcode,
      asset: entry.asset,
      decimals,
      account: entry.accountName,
      party:
        payment.payer === null && (payers.has(entry.party) || entry.accountName === 'refund') ? ERASED : entry.party,
      amount: printSigned(entry.amountAtomic, decimals),
      transactionId: entry.transactionId,
      logIndex: entry.logIndex,
      block: blockOf(booking, entry),
      reverses: entry.reverses,
    };
  });
}

function kindOf(inToken: readonly BookingEntry[], isReversal: boolean): ExportedPayment['kind'] {
  const sign = isReversal ? -1n : 1n;
  const stranded = inToken.find(({ accountName }) => accountName === 'stranded');
  if (stranded === undefined) {
    const payer = inToken.find(({ accountName }) => accountName === 'payer');
    return payer !== undefined && payer.amountAtomic * sign > 0n ? 'refunded' : 'paid';
  }
  if (stranded.amountAtomic * sign > 0n) return 'stranded';
  return inToken.every(({ accountName }) => accountName === 'stranded' || accountName === 'refund')
    ? 'returned'
    : 'paid';
}

export const isGas = ({ asset, party }: Pick<BookingEntry, 'asset' | 'party'>): boolean =>
  asset === NATIVE_ASSET && party === NETWORK_PARTY;

/** A batch names the transaction that it has now: of an entry of another one the block is not known. */
const blockOf = ({ sent }: ExportedBooking, { transactionId }: BookingEntry): string | null =>
  sent?.transactionId === transactionId ? sent.blockNumber.toString() : null;

export function tokenOf(
  network: NetworkId,
  asset: string,
): { readonly shortcode: string | null; readonly decimals: number } {
  const known = findTokenOf(network, asset);
  return { shortcode: known?.shortcode ?? null, decimals: known?.unit.decimals ?? 0 };
}

/** The coin that pays for gas. */
export function coinOf(network: ExportedBooking['network']): {
  readonly symbol: string | null;
  readonly decimals: number;
} {
  const chain = findChain(network);
  return { symbol: chain?.gasSymbol ?? null, decimals: chain?.gasDecimals ?? 0 };
}
