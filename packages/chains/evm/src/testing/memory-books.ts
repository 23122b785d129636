// Books of batches settled by hand, as a lane would have written them; a test may corrupt `rows` and `batches`.
import {
  type BookedAuthorization,
  type BookedBatch,
  type BookedLog,
  type BookedLogUse,
  type BookedPaymentRow,
  type Books,
  bookPayment,
  shareGas,
} from '@svc-pay/core';
import type { HandSettled } from './settle-by-hand.ts';

export type BooksInMemory = {
  readonly books: Books;
  readonly rows: BookedPaymentRow[];
  readonly batches: (BookedBatch & { readonly blockNumber: bigint })[];
  /** Unattributed receipts, and logs that the chain reader has yet to apply. */
  readonly otherLogs: (BookedLogUse & { readonly reason?: string })[];
  /** Authorizations that no payment of `rows` took. */
  readonly authorizations: BookedAuthorization[];
  readonly cursors: Map<string, bigint>;
  /** Payments that are held for the merchant. */
  readonly held: string[];
};

export const BOOKED_INSTALLATION = '0b7e5c1e-6a54-4d0e-9f5b-2f6f2b7f7a11';

export function booksInMemory(settled: readonly HandSettled[]): BooksInMemory {
  const rows = settled.flatMap(rowsOf);
  const batches = settled.map(({ lane, nonce, transactionId, blockNumber, ...batch }) => ({
    id: `bat_${nonce}`,
    relayer: lane.relayer,
    nonce,
    transactionId,
    blockNumber,
    gasBooked: true,
    lostAtomic: sharesOf(batch)
      .slice(batch.payments.length)
      .reduce((sum, share) => sum + share, 0n),
  }));
  const none = async () => ({ count: 0, ids: [] });
  const otherLogs: BooksInMemory['otherLogs'] = [];
  const authorizations: BookedAuthorization[] = [];
  const cursors = new Map<string, bigint>();
  const held: string[] = [];
  const at = ({ transactionId, logIndex }: BookedLog) => `${transactionId}:${logIndex}`;
  const books: Books = {
    payments: async function* () {
      yield rows;
    },
    paymentsOfCodes: async (codes) => rows.filter(({ intent }) => intent !== null && codes.includes(intent.code)),
    strandedTransfers: async function* () {
      yield rows.filter(({ strandedTransfer }) => strandedTransfer !== null);
    },
    minedBatches: async function* () {
      yield batches;
    },
    extent: async () => {
      const blocks = batches.map(({ blockNumber }) => blockNumber);
      const [firstBlock, lastBlock] = [blocks[0], blocks.at(-1)];
      return firstBlock === undefined || lastBlock === undefined ? undefined : { firstBlock, lastBlock };
    },
    relayers: async () => {
      const nonces = batches.map(({ nonce }) => nonce);
      const [first = 0n, last = 0n] = [nonces[0], nonces.at(-1)];
      const between = Array.from({ length: Number(last - first) }, (_, index) => first + BigInt(index));
      const missing = between.filter((nonce) => !nonces.includes(nonce));
      const address = batches[0]?.relayer;
      if (address === undefined) return [];
      const known = { address, firstNonce: first, lastNonce: last, lastMinedNonce: last };
      return [{ ...known, missing, missingCount: missing.length }];
    },
    strayEntries: none,
    strayLosses: none,
    strayIntents: none,
    strayPayments: none,
    strayProofs: none,
    strayRefunds: none,
    overview: async () => ({ looked: 0, asOf: null, differences: [] }),
    paymentsOfTransactions: async (_network, ids) =>
      rows.filter(({ transactionId }) => transactionId !== null && ids.includes(transactionId)),
    logUses: async (_network, logs) => [
      ...logs
        .filter((log) => rows.some(({ splitId }) => splitId === at(log)))
        .map((log) => ({ ...log, use: 'payment' as const })),
      ...otherLogs.filter((one) => logs.some((log) => at(log) === at(one))),
    ],
    unattributedReceipts: async function* () {
      yield otherLogs.filter(({ use }) => use === 'unattributed').map((one) => ({ ...one, reason: one.reason ?? '' }));
    },
    cursors: async () => cursors,
    directWallets: async () => ({
      wallets: rows.flatMap(({ settlement, terms, asset }) =>
        settlement?.direct && terms !== null ? [{ wallet: terms.merchant, asset }] : [],
      ),
      firstBlock: 0n,
    }),
    authorizations: async (keys) => authorizations.filter(({ claimKey }) => keys.includes(claimKey)),
    heldForMerchant: async () => held,
    installation: async () => BOOKED_INSTALLATION,
    ownReceipts: async (_network, receipts) => new Set(receipts.keys()),
  };
  return { books, rows, batches, otherLogs, authorizations, cursors, held };
}

/** Gas shares of the settled payments, then of the failed ones. */
function sharesOf({
  gasCostAtomic,
  payments,
  failed,
}: Pick<HandSettled, 'gasCostAtomic' | 'payments' | 'failed'>): readonly bigint[] {
  return shareGas(gasCostAtomic, [
    ...payments.map(({ mined }) => mined.outcome),
    ...failed.map(() => 'insufficient_funds' as const),
  ]);
}

function rowsOf(batch: HandSettled): readonly BookedPaymentRow[] {
  const { lane, nonce, transactionId, payments } = batch;
  const shares = sharesOf(batch);
  return payments.map(({ item, mined }, index): BookedPaymentRow => {
    const gasShareAtomic = shares[index] ?? 0n;
    const { breakdown, entries } = bookPayment({ lane, item, mined, batch, gasShareAtomic }, { nowMs: 0 });
    return {
      accountId: item.accountId,
      mode: item.mode,
      paymentId: item.paymentId,
      status: 'completed',
      network: lane.network,
      asset: item.asset,
      payer: item.payer,
      nonce: item.nonce,
      paidAtomic: item.settledAtomic,
      feeAtomic: breakdown.feeAtomic,
      refundAtomic: breakdown.refundAtomic,
      refundedAtomic: null,
      refunds: [],
      transactionId,
      splitId: `${transactionId}:${mined.logIndex}`,
      intentId: item.intentId,
      intent: { status: 'completed', code: item.intentCode, paymentId: item.paymentId },
      settlement: {
        status: 'completed',
        capAtomic: item.capAtomic,
        settledAtomic: item.settledAtomic,
        payoutId: item.payout.id,
        claimedBy: item.paymentId,
        batch: { id: `bat_${nonce}`, status: 'mined', transactionId },
        direct: item.payout.direct !== undefined,
        foreignTransactionId: null,
      },
      settlementKept: true,
      terms: item.payout,
      strandedTransfer: null,
      provenPaymentId: item.paymentId,
      entries,
    };
  });
}
