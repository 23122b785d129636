// Books gas that relayers paid for payments that were not settled. Each row moves the amount from the relayer to the
// network, so that these rows and the `network_cost` entries of settled payments add up to the receipts. A row is never
// changed: after a reorg it is reversed by a row with the opposite sign.
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import { UNSETTLED_OUTCOMES, type UnsettledOutcome } from '../lane/judge-item.ts';
import type { Lane, LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { normalizeAddress } from '../token/address.ts';
import { shareGas } from './gas-share.ts';
import { type Booking, newEntryId } from './ledger-entry.ts';

/** `refund`: the transaction moved a refund, which settles no payment. */
export type LossCause = UnsettledOutcome | 'refund' | 'unknown';

export const LOSS_CAUSES: readonly LossCause[] = [...UNSETTLED_OUTCOMES, 'refund', 'unknown'];

/** The payment that lost the gas; all null when it is not known. Hex addresses in lower case. */
export type LossParty = {
  readonly accountId: Id<'account'> | null;
  readonly paymentId: Id<'payment'> | null;
  readonly payer: string | null;
  /** Hash of the contract wallet's code, 0x-hex; null or absent for a payer by key. */
  readonly codeHash?: string | null;
};

export type GasLoss = LossParty & {
  readonly id: Id<'ledgerEntry'>;
  readonly network: NetworkId;
  readonly relayer: string;
  readonly batchId: string;
  readonly transactionId: string;
  readonly cause: LossCause;
  /** In the chain's own coin. Never zero; negative in a reversal. */
  readonly amountAtomic: bigint;
  readonly reverses: Id<'ledgerEntry'> | null;
  readonly createdAtMs: number;
};

/** A payment that was not settled; `count` of them where it is not known which they were. */
export type LostItem = LossParty & { readonly cause: LossCause; readonly count: number };

export type GasSplit = {
  /** Gas share of each settled payment, by payment id. */
  readonly settled: ReadonlyMap<string, bigint>;
  readonly lost: readonly (LostItem & { readonly amountAtomic: bigint })[];
};

/** `items` are those of `mined`, in their order; `besides` are payments that the batch no longer lists. */
export function splitGas(
  mined: Pick<MinedBatch, 'batchId' | 'gasCostAtomic' | 'items'>,
  items: readonly LaneItem[],
  besides: readonly LostItem[] = [],
): GasSplit {
  const outcomes = [
    ...mined.items.map(({ outcome }) => outcome),
    ...besides.flatMap(({ cause, count }) => Array.from({ length: count }, () => cause)),
  ];
  const shares = shareGas(mined.gasCostAtomic, outcomes);
  const settled = new Map<string, bigint>();
  const lost: GasSplit['lost'][number][] = [];
  for (const [index, { paymentId, outcome }] of mined.items.entries()) {
    const [item, amountAtomic] = [items[index], shares[index] ?? 0n];
    if (item?.paymentId !== paymentId)
      throw new Error(`item ${index} of batch ${mined.batchId} is payment ${item?.paymentId}, not ${paymentId}`);
    const cause = outcome === 'settled' && item.refund !== undefined ? 'refund' : outcome;
    if (cause === 'settled') settled.set(paymentId, amountAtomic);
    else lost.push({ ...partyOf(item), cause, count: 1, amountAtomic });
  }
  let next = mined.items.length;
  for (const item of besides) {
    const amountAtomic = shares.slice(next, next + item.count).reduce((sum, share) => sum + share, 0n);
    lost.push({ ...item, amountAtomic });
    next += item.count;
  }
  return { settled, lost };
}

const partyOf = ({ accountId, paymentId, payer, codeHash }: LaneItem): LossParty => ({
  accountId,
  paymentId,
  payer: normalizeAddress(payer),
  codeHash: codeHash ?? null,
});

/**
 * Payments that a batch had beside the items of `mined`: those that its earlier rows name, and unknown ones. Payments
 * leave a reverted batch; if the batch is in a block where it did not revert, their outcome was not read and is
 * `unknown`. `itemCount` is the number of payments that the batch had in all.
 */
export function lostItems(
  itemCount: number,
  { items, reverted }: Pick<MinedBatch, 'items' | 'reverted'>,
  earlier: readonly GasLoss[],
): readonly LostItem[] {
  const listed = new Set<string | null>([null, ...items.map(({ paymentId }) => paymentId)]);
  const named: LostItem[] = [];
  for (const { accountId, paymentId, payer, codeHash = null, cause } of earlier.toReversed()) {
    if (listed.has(paymentId)) continue;
    listed.add(paymentId);
    named.push({ accountId, paymentId, payer, codeHash, cause: reverted ? cause : 'unknown', count: 1 });
  }
  // Sorted, so that every process books the indivisible rest on the same payment.
  named.sort((one, other) => ((one.paymentId ?? '') < (other.paymentId ?? '') ? -1 : 1));
  const count = itemCount - items.length - named.length;
  if (count <= 0) return named;
  const nobody = { accountId: null, paymentId: null, payer: null, codeHash: null };
  return [...named, { ...nobody, cause: reverted ? 'reverted' : 'unknown', count }];
}

export type LossSource = Lane & { readonly batchId: string; readonly transactionId: string };

export function bookLosses(
  { network, relayer, batchId, transactionId }: LossSource,
  lost: GasSplit['lost'],
  booking: Booking,
): readonly GasLoss[] {
  return lost
    .filter(({ amountAtomic }) => amountAtomic !== 0n)
    .map(({ accountId, paymentId, payer, codeHash = null, cause, amountAtomic }) => ({
      id: newEntryId(booking),
      network,
      relayer,
      batchId,
      transactionId,
      accountId,
      paymentId,
      payer,
      codeHash,
      cause,
      amountAtomic,
      reverses: null,
      createdAtMs: booking.nowMs,
    }));
}

/** Rows that are neither reversed nor reversals. */
export function liveLosses(losses: readonly GasLoss[]): readonly GasLoss[] {
  const reversed = new Set(losses.map(({ reverses }) => reverses));
  return losses.filter(({ id, reverses }) => reverses === null && !reversed.has(id));
}

export function reverseLosses(losses: readonly GasLoss[], booking: Booking): readonly GasLoss[] {
  return liveLosses(losses).map((loss) => ({
    ...loss,
    id: newEntryId(booking),
    amountAtomic: -loss.amountAtomic,
    reverses: loss.id,
    createdAtMs: booking.nowMs,
  }));
}
