// Books the double entry of one settled payment: the cap leaves the payer at the token's transfer, and every unit of it
// reaches a party at the processor's event. A stranded transfer left the payer before; then the stranded money is
// distributed. If chain and terms disagree, nothing is booked.
import { atomicAmount, type Breakdown, breakDown, payoutTerms } from '@svc-pay/money';
import type { Lane, LaneItem } from '../lane/lane.ts';
import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import { normalizeAddress } from '../token/address.ts';
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
  /** The payment's share of the transaction's gas cost; see `shareGas`. */
  readonly gasShareAtomic: bigint;
};

/** Stored amounts of a settled payment, computed like its entries. */
export type BookedPayment = {
  readonly breakdown: Breakdown;
  readonly entries: readonly LedgerEntry[];
};

/**
 * Throws when the chain took another fee than the terms say: our code or the chain is wrong, and nothing may be booked
 * from either.
 */
export function bookPayment(settled: SettledPayment, booking: Booking): BookedPayment {
  const { lane, item, mined, batch, gasShareAtomic } = settled;
  if (mined.paymentId !== item.paymentId)
    throw new Error(`the mined item is of payment ${mined.paymentId}, not of ${item.paymentId}`);
  if (gasShareAtomic < 0n) throw new RangeError(`payment ${item.paymentId}: its share of gas is negative`);
  const breakdown = breakdownOf(item);
  if (breakdown.feeAtomic !== mined.feeAtomic) {
    throw new Error(
      `payment ${item.paymentId}: the chain took a fee of ${mined.feeAtomic}, its terms say ${breakdown.feeAtomic}`,
    );
  }

  const escrowed = new Set(mined.escrowedFor.map(normalizeAddress));
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
    party: normalizeAddress(party),
    amountAtomic,
    transactionId: batch.transactionId,
    logIndex,
    reverses: null,
    createdAtMs: booking.nowMs,
  });
  const part = (accountName: LedgerAccount, party: string, amountAtomic: bigint) =>
    entryOf(item.asset, escrowed.has(normalizeAddress(party)) ? 'escrow' : accountName, party, amountAtomic);

  const entries = [
    item.strandedTransfer === undefined
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

/** Throws where the payout's terms can't divide the amount. */
export function breakdownOf({ paymentId, payout, settledAtomic, capAtomic }: LaneItem): Breakdown {
  const terms = payoutTerms(payout);
  if (!terms.ok) throw new Error(`payment ${paymentId}: payout ${payout.id} is ${terms.code}`);
  const broken = breakDown(atomicAmount(settledAtomic), atomicAmount(capAtomic), terms.terms);
  if (!broken.ok)
    throw new Error(`payment ${paymentId}: its amount can't be divided by payout ${payout.id}: ${broken.code}`);
  return broken.breakdown;
}
