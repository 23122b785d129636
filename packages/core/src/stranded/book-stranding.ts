// Books stranded transfers and their returns. A stranded transfer is booked when finalized logs prove it, and stays in
// `stranded` until it completes its payment or is returned.
import type { Lane, LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import type { SettledItem } from '../ledger/book-payment.ts';
import {
  type Booking,
  type LedgerAccount,
  type LedgerEntry,
  NATIVE_ASSET,
  NETWORK_PARTY,
  newEntryId,
} from '../ledger/ledger-entry.ts';
import { normalizeAddress } from '../token/address.ts';

/** Log position of the token's transfer to the processor. */
export type Stranding = { readonly transactionId: string; readonly logIndex: number };

export function bookStranding(
  network: LedgerEntry['network'],
  item: LaneItem,
  position: Stranding,
  booking: Booking,
): readonly LedgerEntry[] {
  const entry = entriesAt(network, item, position, booking);
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
  /** The payment's share of the gas cost: all of it, since a return is a transaction of its own. */
  readonly gasCostAtomic: bigint;
};

export function bookReturn(returned: ReturnedPayment, booking: Booking): readonly LedgerEntry[] {
  const { lane, item, mined, batch, gasCostAtomic } = returned;
  const position = { transactionId: batch.transactionId, logIndex: mined.logIndex };
  const entry = entriesAt(lane.network, item, position, booking);
  const kept = mined.escrowedFor.some((account) => normalizeAddress(account) === normalizeAddress(item.payer));
  return [
    entry(item.asset, 'stranded', item.payer, -item.capAtomic),
    entry(item.asset, kept ? 'escrow' : 'refund', item.payer, item.capAtomic),
    entry(NATIVE_ASSET, 'network_cost', lane.relayer, -gasCostAtomic),
    entry(NATIVE_ASSET, 'network_cost', NETWORK_PARTY, gasCostAtomic),
  ].filter(({ amountAtomic }) => amountAtomic !== 0n);
}

function entriesAt(network: LedgerEntry['network'], item: LaneItem, position: Stranding, booking: Booking) {
  return (asset: string, accountName: LedgerAccount, party: string, amountAtomic: bigint): LedgerEntry => ({
    id: newEntryId(booking),
    accountId: item.accountId,
    mode: item.mode,
    paymentId: item.paymentId,
    network,
    asset,
    accountName,
    party: normalizeAddress(party),
    amountAtomic,
    ...position,
    reverses: null,
    createdAtMs: booking.nowMs,
  });
}
