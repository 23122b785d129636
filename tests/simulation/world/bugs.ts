// Bugs to put in on purpose: a simulation that is worth its name finds each of them.

import { hexKey } from '@svc-pay/core/testing';
import { broadcastingFirst, recordingEarly } from '@svc-pay/postgres/testing/seeded-bugs';
import { ICRC_BUGS } from '../icrc/icrc-bugs.ts';
import { DELIVERY_BUGS, type DeliveryBug } from './delivery-bugs.ts';
import { READER_BUGS } from './reader-bugs.ts';
import type { ReaderBug } from './reader-process.ts';
import { REFUND_BUGS, REFUND_LANE_BUGS, REFUND_WATCH_BUGS } from './refund-bugs.ts';
import type { RefundBug } from './refund-merchant.ts';
import type { LaneBug, SettlementBugs, WatchBug } from './settlement-process.ts';

/** A new holder forgets what flies, and signs it anew under the same nonces. */
const signingAgain: LaneBug = (parts, { relayers, batches, settlements }) => ({
  ...parts,
  store: {
    ...parts.store,
    takeOver: async (lane) => {
      const epoch = await parts.store.takeOver(lane);
      for (const batch of batches.values()) {
        if (batch.relayer !== lane.relayer || (batch.status !== 'signed' && batch.status !== 'broadcast')) continue;
        batch.status = 'replaced';
        for (const row of settlements.values()) {
          if (row.batchId === batch.id) Object.assign(row, { status: 'queued', relayer: null, batchId: null });
        }
        const relayer = relayers.get(`${lane.network}/${lane.relayer}`);
        if (relayer !== undefined && batch.nonce < relayer.nextNonce) relayer.nextNonce = batch.nonce;
      }
      return epoch;
    },
  },
});

/** Takes every block for deep enough. */
const hurrying: LaneBug = (parts) => ({
  ...parts,
  chain: {
    ...parts.chain,
    findMined: async (batches) =>
      (await parts.chain.findMined(batches)).map((mined) => ({ ...mined, confirmations: 99n })),
  },
});

/** After a revert the payments are sent together again, as many as before. */
const keepingLimits: LaneBug = (parts, { settlements }) => ({
  ...parts,
  store: {
    ...parts.store,
    recordMined: async (lease, found) => {
      const recorded = await parts.store.recordMined(lease, found);
      for (const row of settlements.values()) row.batchLimit = null;
      return recorded;
    },
  },
});

/** A fee bump is broadcast before it is stored. */
const bumpingFirst: LaneBug = (parts) => ({
  ...parts,
  store: {
    ...parts.store,
    storeTransaction: async (lease, batchId, signed) => {
      await parts.chain.broadcast(signed.raw);
      return parts.store.storeTransaction(lease, batchId, signed);
    },
  },
});

/** A direct payment that the simulation refuses fails at once, as one through a processor does. */
const failingRefused: LaneBug = (parts) => ({
  ...parts,
  store: {
    ...parts.store,
    recordUnsent: (lease, unsent) =>
      parts.store.recordUnsent(
        lease,
        unsent.map(({ item, outcome }) => {
          const { direct: _direct, ...payout } = item.payout;
          return { item: { ...item, payout }, outcome };
        }),
      ),
  },
});

/** The authorization of a transfer that goes back stays open: it is found again, and returned again. */
const returningTwice: WatchBug = (stores, { stranded, authorizations }) => {
  const goesBack = (key: string) => stranded.get(key)?.action === 'return';
  return {
    ...stores,
    stranded: {
      ...stores.stranded,
      closeAuthorizations: (over, nowMs) =>
        stores.stranded.closeAuthorizations(
          over.filter(({ claimKey }) => !goesBack(hexKey(claimKey))),
          nowMs,
        ),
      recordStranding: async (found, nowMs) => {
        const key = hexKey(found.claimKey);
        if (goesBack(key)) stranded.delete(key);
        const action = await stores.stranded.recordStranding(found, nowMs);
        const signed = authorizations.get(key);
        if (action === 'return' && signed !== undefined) signed.closedAtMs = null;
        return action;
      },
    },
  };
};

/** Only the first page is ever read. */
const forgettingPages: WatchBug = (stores) => ({
  ...stores,
  stranded: {
    ...stores.stranded,
    loadHeldMoney: async (network, after, limit) =>
      after === 0n ? stores.stranded.loadHeldMoney(network, after, limit) : [],
  },
});

/** A reversed batch leaves its ledger entries as they are. */
const reversingWithoutBooks: WatchBug = (stores, { entries }) => ({
  ...stores,
  finality: {
    ...stores.finality,
    reverseBatch: async (...given) => {
      const booked = new Set(entries);
      const reversed = await stores.finality.reverseBatch(...given);
      const reversals = entries.filter((entry) => entry.reverses !== null && !booked.has(entry));
      for (const entry of reversals) entries.splice(entries.indexOf(entry), 1);
      return reversed;
    },
  },
});

/** The authorization of a failed payment is taken for over, whatever its window. */
const closingEarly: WatchBug = (stores) => ({
  ...stores,
  stranded: {
    ...stores.stranded,
    loadUnsettledAuthorizations: async (...given) => {
      const open = await stores.stranded.loadUnsettledAuthorizations(...given);
      const failed = open.filter(({ settlement }) => settlement === 'failed');
      await stores.stranded.closeAuthorizations(failed, 0);
      return open.filter((one) => !failed.includes(one));
    },
  },
});

const LANE_BUGS = {
  broadcastingFirst,
  signingAgain,
  recordingEarly,
  hurrying,
  keepingLimits,
  bumpingFirst,
  failingRefused,
  ...REFUND_LANE_BUGS,
} as const;
const WATCH_BUGS = {
  returningTwice,
  forgettingPages,
  reversingWithoutBooks,
  closingEarly,
  ...REFUND_WATCH_BUGS,
} as const;
export const BUG_NAMES = [
  ...Object.keys(LANE_BUGS),
  ...Object.keys(WATCH_BUGS),
  'trustingLatest',
  'restoringNothing',
  ...Object.keys(DELIVERY_BUGS),
  ...Object.keys(READER_BUGS),
  ...Object.keys(REFUND_BUGS),
  ...Object.keys(ICRC_BUGS),
] as readonly BugName[];
export type BugName =
  | keyof typeof LANE_BUGS
  | keyof typeof WATCH_BUGS
  | keyof typeof DELIVERY_BUGS
  | keyof typeof READER_BUGS
  | keyof typeof REFUND_BUGS
  | keyof typeof ICRC_BUGS
  /** Watchers take the latest block for final. */
  | 'trustingLatest'
  /** A database that was set back is taken as it is. */
  | 'restoringNothing';

const named = <Bug>(bugs: Readonly<Record<string, Bug>>, name: BugName | undefined): Bug | undefined =>
  bugs[name ?? ''];

export const settlementBugs = (name: BugName | undefined): SettlementBugs => ({
  lane: named<LaneBug>(LANE_BUGS, name),
  watch: named<WatchBug>(WATCH_BUGS, name),
  final: name === 'trustingLatest' ? 'latest' : undefined,
});
export const deliveryBug = (name: BugName | undefined): DeliveryBug | undefined =>
  named<DeliveryBug>(DELIVERY_BUGS, name);
export const refundBug = (name: BugName | undefined): RefundBug | undefined => named<RefundBug>(REFUND_BUGS, name);
export const readerBug = (name: BugName | undefined): ReaderBug | undefined => named<ReaderBug>(READER_BUGS, name);

export const isBugName = (name: string | undefined): name is BugName => BUG_NAMES.some((known) => known === name);
