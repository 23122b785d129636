// Restores one network whose payers sign whole transactions: every final transaction of its relayers that the database may
// lack, in the order of the chain. Each is stored as it was when sent, then recorded by the lane's own steps.
import type { NetworkId } from '@svc-pay/protocol';
import type { Lane, PendingBatch } from '../lane/lane.ts';
import type { LaneLease } from '../lane/lane-store.ts';
import { blockOfBooks } from './first-block-to-read.ts';
import {
  type FoundTransfer,
  LONGEST_LIFE_BLOCKS,
  type TransferPayout,
  type TransferReading,
  type TransferRestoreChain,
} from './on-chain-transfer.ts';
import { LaneTakenOver, type RestoreFindMined, recordPendingBatches } from './record-pending-batches.ts';
import type { RestoreProgress } from './restore-network.ts';
import { addTransfer, type NetworkRestore, newReport } from './restore-report.ts';
import type { RestoreLaneStore, RestoreStore } from './restore-store.ts';

export type TransferNetwork = {
  readonly network: NetworkId;
  readonly transfers: TransferRestoreChain & RestoreFindMined;
  /** Relayers that began after the backup, as the operator names them. */
  readonly lostRelayers: readonly string[];
};

/** The transactions of each relayer, oldest first. */
export type SurveyedTransfers = TransferNetwork & {
  readonly fromSlot: bigint;
  readonly toSlot: bigint;
  /** Empty when neither the database nor the operator knows a relayer. */
  readonly found: ReadonlyMap<string, readonly FoundTransfer[]>;
};

/** The operator's first block is newer than the newest one of the chain: nothing would be read. */
export type BlockAhead = {
  readonly ok: false;
  readonly code: 'from_block_ahead';
  readonly network: string;
  readonly newest: bigint;
};

export type TransferSurvey =
  | SurveyedTransfers
  | {
      readonly ok: false;
      readonly code: 'transactions_waiting';
      readonly network: string;
      readonly keys: readonly string[];
    }
  | BlockAhead
  | { readonly ok: false; readonly code: 'from_block_unknown'; readonly network: string };

export type TransferSurveyDeps = {
  readonly store: RestoreStore;
  readonly fromBlock: bigint | undefined;
  readonly expiryPatienceMs: number;
  readonly pause: (ms: number) => Promise<void>;
  readonly note: (progress: RestoreProgress) => void;
};

const PAUSE_MS = 1_000;
/**
 * A transaction that the database lacks was stored, and so sent, after the newest block that the database knows. Leaders
 * number their slots by their own clocks: this many slots are read once more.
 */
const OVERLAP_SLOTS = 150n;

export async function surveyTransfers(given: TransferSurveyDeps, named: TransferNetwork): Promise<TransferSurvey> {
  const { store, note, fromBlock } = given;
  const { network, transfers } = named;
  const noted = await store.loadOpenRestore(network);
  const lostRelayers = [...new Set([...named.lostRelayers, ...(noted?.relayers ?? [])])];
  const chain = { ...named, lostRelayers };
  const relayers = await relayersOf(store, chain);
  const own = blockOfBooks(noted, relayers.length === 0 ? undefined : await firstSlotToRead(store, network));
  await store.openRestore(network, { fromBlock: own, relayers: noted?.relayers ?? [] });
  if (relayers.length === 0) return { ...chain, fromSlot: 0n, toSlot: 0n, found: new Map() };
  // What the database knows of other relayers says nothing of one that began after the backup.
  if (fromBlock === undefined && named.lostRelayers.some((relayer) => noted?.relayers.includes(relayer) !== true))
    return { ok: false, code: 'from_block_unknown', network };
  const fromSlot = fromBlock ?? own;
  const toSlot = await awaitExpiry(given, chain);
  if (toSlot === undefined) return { ok: false, code: 'transactions_waiting', network, keys: relayers };
  if (fromBlock !== undefined && fromBlock > toSlot)
    return { ok: false, code: 'from_block_ahead', network, newest: toSlot };
  note({ step: 'reading_blocks', network, fromBlock: fromSlot ?? 0n, toBlock: toSlot });
  const found = new Map<string, readonly FoundTransfer[]>();
  for (const relayer of relayers) {
    if (fromSlot !== undefined) found.set(relayer, await transfers.findTransactions(relayer, fromSlot, toSlot));
    // A database that knows no block, and chains that prove that there was no payment: there is nothing to restore.
    else if ((await transfers.findAnyPayment(relayer, toSlot)) === 'none') found.set(relayer, []);
    else return { ok: false, code: 'from_block_unknown', network };
  }
  // What the operator gives is noted once the nodes have answered for it: a wrong number would be read by every later run.
  if (fromSlot !== undefined) await store.openRestore(network, { fromBlock: fromSlot, relayers: lostRelayers });
  return { ...chain, fromSlot: fromSlot ?? 0n, toSlot, found };
}

/** Undefined when the database knows no block. */
async function firstSlotToRead(store: RestoreStore, network: NetworkId): Promise<bigint | undefined> {
  const { finalBlock, firstBlock } = await store.loadRecordedBlocks(network);
  const newest = finalBlock ?? firstBlock;
  if (newest === undefined) return undefined;
  return newest > OVERLAP_SLOTS ? newest - OVERLAP_SLOTS : 0n;
}

async function relayersOf(store: RestoreStore, { network, lostRelayers }: TransferNetwork): Promise<readonly string[]> {
  const lanes = await store.loadLanes(network);
  return [...new Set([...lanes.map(({ relayer }) => relayer), ...lostRelayers])];
}

/**
 * No node tells of transactions that are on their way. The services are stopped, so every transaction that they sent is
 * final or expired once a final block is past the life of the newest blockhash. Returns the final slot; undefined when that
 * takes too long.
 */
async function awaitExpiry(
  { expiryPatienceMs, pause, note }: TransferSurveyDeps,
  { network, transfers }: TransferNetwork,
): Promise<bigint | undefined> {
  const target = (await transfers.readHeights()).highest + LONGEST_LIFE_BLOCKS;
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const { finalized, finalizedSlot } = await transfers.readHeights();
    if (finalized >= target) return finalizedSlot;
    if (waitedMs >= expiryPatienceMs) return undefined;
    note({ step: 'waiting_for_expiry', network, blocks: target - finalized });
    await pause(PAUSE_MS);
  }
}

export type TransfersToRestore = SurveyedTransfers & {
  readonly store: RestoreStore;
  readonly laneStore: RestoreLaneStore;
  readonly note: (progress: RestoreProgress) => void;
};

const PAGE = 40;

export async function restoreTransfers(given: TransfersToRestore): Promise<NetworkRestore> {
  const { network, store, laneStore, transfers: chain, found, fromSlot, toSlot, note } = given;
  const report = newReport(network, { fromBlock: fromSlot, toBlock: toSlot });
  report.relayers.push(...found.keys());
  report.relayersUnknown = found.size === 0;
  const payouts = await store.loadTransferPayouts(network);
  const of = [...found.values()].reduce((sum, list) => sum + list.length, 0);
  for (const [relayer, list] of found) {
    const lease = await takeLease(given, { network, relayer }, payouts);
    for (let start = 0; start < list.length; start += PAGE) {
      const page = list.slice(start, start + PAGE);
      await restorePage({ ...given, report }, { relayer, lease }, page, payouts);
      if (lease !== undefined) await recordPendingBatches({ chain, laneStore, report }, lease);
      const { transactions, completedPayments } = report;
      note({ step: 'transactions_restored', network, transactions, of, completedPayments });
    }
    if (lease === undefined) continue;
    const onUnmined = (batch: PendingBatch) => tellUndecided(report, batch, list);
    report.unconfirmedTransactions += await recordPendingBatches({ chain, laneStore, report, onUnmined }, lease);
  }
  return report;
}

/** A node has told that the transaction is final. A batch that no node told of has expired, and the lane gives it up. */
function tellUndecided(report: NetworkRestore, batch: PendingBatch, list: readonly FoundTransfer[]): void {
  const told = list.find(({ transactionId }) => batch.transactions.some((own) => own.transactionId === transactionId));
  if (told === undefined) return;
  const reason = `the nodes do not agree on the result of its batch ${batch.id}; ${AGAIN}`;
  report.notRebuilt.push({ transactionId: told.transactionId, reason });
}

const AGAIN = 'run the restore again, which begins at the same block by itself';

/** Undefined for a relayer that the database does not have and, without a payout, can't get: no payment of it fits one. */
async function takeLease(
  { store, laneStore, lostRelayers }: TransfersToRestore,
  lane: Lane,
  [payout]: readonly TransferPayout[],
): Promise<LaneLease | undefined> {
  if (lostRelayers.includes(lane.relayer) && payout !== undefined)
    await store.addLostLane(lane, payout.feeRecipient, 'settle');
  const lanes = await store.loadLanes(lane.network);
  if (!lanes.some(({ relayer }) => relayer === lane.relayer)) return undefined;
  return { ...lane, epoch: await laneStore.takeOver(lane) };
}

async function restorePage(
  { store, transfers, report }: TransfersToRestore & { readonly report: NetworkRestore },
  { relayer, lease }: { readonly relayer: string; readonly lease: LaneLease | undefined },
  page: readonly FoundTransfer[],
  payouts: readonly TransferPayout[],
): Promise<void> {
  const read = await transfers.readTransfers(relayer, page, payouts);
  for (const [index, { transactionId }] of page.entries()) {
    const one = read[index];
    if (one === undefined || one.kind === 'other') continue;
    report.transactions += 1;
    await restoreOne(store, report, lease, transactionId, one);
  }
}

async function restoreOne(
  store: RestoreStore,
  report: NetworkRestore,
  lease: LaneLease | undefined,
  transactionId: string,
  read: Exclude<TransferReading, { kind: 'other' }>,
): Promise<void> {
  if (read.kind === 'text_payment') {
    if (await store.hasTransaction(report.network, transactionId)) return;
    report.notRebuilt.push({ transactionId, reason: 'it carries a payment by a signed text' });
  } else if (read.kind === 'unread') {
    report.notRebuilt.push({ transactionId, reason: `${read.reason}; ${AGAIN}` });
  } else if (read.kind === 'payout_unknown') {
    const { carried } = read;
    const reason = `no payout of ours divides it so: set the payout again, then ${AGAIN}`;
    const payment = { ...UNKNOWN, reason };
    addTransfer(report, { transactionId, carried }, { batch: 'refused', payment });
  } else {
    if (lease === undefined) throw new Error(`${transactionId} fits a payout, and its relayer was not added`);
    const restored = await store.restoreTransfer(lease, read.onChain);
    if (restored === undefined) throw new LaneTakenOver(lease.relayer);
    addTransfer(report, read.onChain, restored);
  }
}

const UNKNOWN = {
  outcome: 'refused',
  intentId: null,
  accountId: null,
  standIn: false,
  intentCode: null,
  payoutId: null,
} as const;
