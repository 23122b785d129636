// Money that reached the processor without being settled, and its way back. It is booked when finalized logs prove it, and
// stays in `stranded` until it completes its payment or is returned.
import type { Lane, LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { type SettledItem, spelled } from './book-payment.ts';
import {
  type Booking,
  type LedgerAccount,
  type LedgerEntry,
  NATIVE_ASSET,
  NETWORK_PARTY,
  newEntryId,
} from './ledger-entry.ts';

/** Where the token's transfer to the processor stands. */
export type Stranding = { readonly transactionId: string; readonly logIndex: number };

export function bookStranding(
  network: LedgerEntry['network'],
  item: LaneItem,
  place: Stranding,
  booking: Booking,
): readonly LedgerEntry[] {
  const entry = entriesAt(network, item, place, booking);
  return [
    entry(item.asset, 'payer', item.payer, -item.capAtomic),
    entry(item.asset, 'stranded', item.payer, item.capAtomic),
  ];
}

export type ReturnedPayment = {
  readonly lane: Lane;
  readonly item: LaneItem;
  readonly mined: SettledItem;
  readonly batch: Pick<MinedBatch, 'transactionId'>;
  /** All that the transaction cost: it carried nothing else. */
  readonly gasCostAtomic: bigint;
};

export function bookReturn(returned: ReturnedPayment, booking: Booking): readonly LedgerEntry[] {
  const { lane, item, mined, batch, gasCostAtomic } = returned;
  const place = { transactionId: batch.transactionId, logIndex: mined.logIndex };
  const entry = entriesAt(lane.network, item, place, booking);
  const kept = mined.escrowedFor.some((account) => spelled(account) === spelled(item.payer));
  return [
    entry(item.asset, 'stranded', item.payer, -item.capAtomic),
    entry(item.asset, kept ? 'escrow' : 'refund', item.payer, item.capAtomic),
    entry(NATIVE_ASSET, 'network_cost', lane.relayer, -gasCostAtomic),
    entry(NATIVE_ASSET, 'network_cost', NETWORK_PARTY, gasCostAtomic),
  ].filter(({ amountAtomic }) => amountAtomic !== 0n);
}

function entriesAt(network: LedgerEntry['network'], item: LaneItem, place: Stranding, booking: Booking) {
  return (asset: string, accountName: LedgerAccount, party: string, amountAtomic: bigint): LedgerEntry => ({
    id: newEntryId(booking),
    accountId: item.accountId,
    mode: item.mode,
    paymentId: item.paymentId,
    network,
    asset,
    accountName,
    party: spelled(party),
    amountAtomic,
    ...place,
    reverses: null,
    createdAtMs: booking.nowMs,
  });
}
