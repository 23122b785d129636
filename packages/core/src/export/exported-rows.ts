// Rows of an export. Amounts are decimal text in whole coins; the sum of a column is the ledger's, to the unit.
import { printSigned } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { isoTime } from '../clock.ts';
import { NATIVE_ASSET, NETWORK_PARTY } from '../ledger/ledger-entry.ts';
import { findChain } from '../token/chain.ts';
import { findTokenOf } from '../token/find-token.ts';
import type { BookingEntry, ExportedBooking } from './export-store.ts';

/** `paid`: the payment was divided. `stranded`: its money lies with the processor. `returned`: it went back from there. */
export type BookingKind = 'paid' | 'stranded' | 'returned';

export type PaymentExportRow = {
  readonly paymentId: string;
  readonly paymentIntentId: string;
  readonly bookingId: string;
  readonly bookedAt: string;
  readonly kind: BookingKind;
  /** The row takes back an earlier one: its amounts are that one's with the opposite sign. */
  readonly reversal: boolean;
  readonly chain: string;
  readonly tokenShortcode: string | null;
  readonly asset: string;
  /** 0 for a token that the service no longer knows: amounts are then in smallest units. */
  readonly decimals: number;
  readonly payer: string | null;
  /** What left the payer: net, fee, splits, refund and escrow together. */
  readonly gross: string;
  readonly fee: string;
  readonly splits: string;
  readonly refund: string;
  /** Could not be delivered and waits at the processor for its owner. */
  readonly escrow: string;
  readonly net: string;
  /** What the relayer paid for the transaction, in the chain's coin. */
  readonly gas: string;
  readonly gasToken: string | null;
  readonly transactionId: string;
  readonly block: string | null;
  readonly metadata: string | null;
};

export type LedgerExportRow = {
  readonly entryId: string;
  readonly bookingId: string;
  readonly paymentId: string;
  readonly paymentIntentId: string;
  readonly bookedAt: string;
  readonly chain: string;
  /** Null for the chain's coin. */
  readonly tokenShortcode: string | null;
  readonly asset: string;
  readonly decimals: number;
  readonly account: string;
  readonly party: string;
  readonly amount: string;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly block: string | null;
  readonly reverses: string | null;
};

const ERASED = 'erased';

/** One row for what was booked and one for what was reversed; several where one statement did both. */
export function paymentRows(booking: ExportedBooking): readonly PaymentExportRow[] {
  const groups = Map.groupBy(booking.entries, ({ reverses, transactionId }) => `${reverses !== null} ${transactionId}`);
  return [...groups.values()].flatMap((entries) => {
    const [first] = entries;
    return first === undefined ? [] : [paymentRow(booking, entries, first)];
  });
}

function paymentRow(booking: ExportedBooking, entries: readonly BookingEntry[], first: BookingEntry): PaymentExportRow {
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

export function ledgerRows(booking: ExportedBooking): readonly LedgerExportRow[] {
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

function kindOf(inToken: readonly BookingEntry[], isReversal: boolean): BookingKind {
  const sign = isReversal ? -1n : 1n;
  const stranded = inToken.find(({ accountName }) => accountName === 'stranded');
  if (stranded === undefined) return 'paid';
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
