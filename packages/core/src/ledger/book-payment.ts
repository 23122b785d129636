// The double entry of one settled payment: the cap leaves the payer at the token's transfer, and every unit of it reaches
// somebody at the processor's event. Money that a stranger's submission stranded left the payer before; then it is that
// which is given out. What the chain says and what the terms say must agree, or nothing is booked.
import { atomicAmount, type Breakdown, breakDown, payoutTerms } from '@svc-pay/money';
import type { Lane, LaneItem } from '../lane/lane.ts';
import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import {
  type Booking,
  type LedgerAccount,
  type LedgerEntry,
  NATIVE_ASSET,
  NETWORK_PARTY,
  newEntryId,
} from './ledger-entry.ts';

export type SettledItem = Extract<MinedItem, { readonly outcome: 'settled' }>;

export type SettledPayment = {
  readonly lane: Lane;
  readonly item: LaneItem;
  readonly mined: SettledItem;
  readonly batch: Pick<MinedBatch, 'transactionId' | 'feeRecipient'>;
  /** This payment's part of what the transaction cost, see `shareGas`. */
  readonly gasShareAtomic: bigint;
};

/** What `svc.payments` keeps of a settled payment, by the same arithmetic as its entries. */
export type BookedPayment = {
  readonly breakdown: Breakdown;
  readonly entries: readonly LedgerEntry[];
};

/**
 * Throws when the chain took another fee than the terms say: that is a bug or a chain that lies, and no books are made
 * from either.
 */
export function bookPayment(settled: SettledPayment, booking: Booking): BookedPayment {
  const { lane, item, mined, batch, gasShareAtomic } = settled;
  if (mined.paymentId !== item.paymentId) throw new Error(`${mined.paymentId} is not ${item.paymentId}`);
  if (gasShareAtomic < 0n) throw new RangeError('a share of gas is not negative');
  const breakdown = breakdownOf(item);
  if (breakdown.feeAtomic !== mined.feeAtomic) {
    throw new Error(
      `payment ${item.paymentId}: the chain took a fee of ${mined.feeAtomic}, its terms say ${breakdown.feeAtomic}`,
    );
  }

  const escrowed = new Set(mined.escrowedFor.map(spelled));
  const entryOf = (
    asset: string,
    accountName: LedgerAccount,
    party: string,
    amountAtomic: bigint,
    logIndex = mined.logIndex,
  ): LedgerEntry => ({
    id: newEntryId(booking),
    accountId: item.accountId,
    mode: item.mode,
    paymentId: item.paymentId,
    network: lane.network,
    asset,
    accountName,
    party: spelled(party),
    amountAtomic,
    transactionId: batch.transactionId,
    logIndex,
    reverses: null,
    createdAtMs: booking.nowMs,
  });
  const part = (accountName: LedgerAccount, party: string, amountAtomic: bigint) =>
    entryOf(item.asset, escrowed.has(spelled(party)) ? 'escrow' : accountName, party, amountAtomic);

  const entries = [
    item.recovery === undefined
      ? entryOf(item.asset, 'payer', item.payer, -item.capAtomic, mined.transferLogIndex)
      : entryOf(item.asset, 'stranded', item.payer, -item.capAtomic),
    part('merchant', item.payout.merchant, breakdown.merchantAtomic),
    ...breakdown.splits.map(({ to, amountAtomic }) => part('split', to, amountAtomic)),
    part('platform_fee', batch.feeRecipient, breakdown.feeAtomic),
    part('refund', item.payer, breakdown.refundAtomic),
    entryOf(NATIVE_ASSET, 'network_cost', lane.relayer, -gasShareAtomic),
    entryOf(NATIVE_ASSET, 'network_cost', NETWORK_PARTY, gasShareAtomic),
  ];
  return { breakdown, entries: entries.filter(({ amountAtomic }) => amountAtomic !== 0n) };
}

function breakdownOf({ paymentId, payout, settledAtomic, capAtomic }: LaneItem): Breakdown {
  const terms = payoutTerms(payout);
  if (!terms.ok) throw new Error(`payment ${paymentId}: payout ${payout.id} is ${terms.code}`);
  const broken = breakDown(atomicAmount(settledAtomic), atomicAmount(capAtomic), terms.terms);
  if (!broken.ok) throw new Error(`payment ${paymentId}: ${broken.code}`);
  return broken.breakdown;
}

/** One spelling per party, or sums by party would miss some. */
export function spelled(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}
