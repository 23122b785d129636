// FinalityStore in memory: mined batches until they are final; and lanes with work that no process works on.

import type { NetworkId } from '@svc-pay/protocol';
import {
  bookLosses,
  bookPayment,
  bookReturn,
  type FinalityStore,
  judgeItem,
  type Lane,
  type LaneItem,
  liveLosses,
  lostItems,
  type RecordedBatch,
  reverseEntries,
  reverseLosses,
  splitGas,
} from '../index.ts';
import { hasWork } from './memory-lane-base.ts';
import { isRevivable, moveSettlements } from './memory-lane-store.ts';
import {
  failures,
  liveEntriesOf,
  reversals,
  type SettledBatchItem,
  writePaymentResults,
} from './memory-payment-results.ts';
import { strandedOfBatch } from './memory-stranded-lane-store.ts';
import {
  type BatchRow,
  byNumber,
  itemOf,
  type SettlementRow,
  type Statement,
  strandedItemOf,
  type Tables,
} from './memory-tables.ts';

export function createMemoryFinalityStore(tables: Tables, statement: Statement): FinalityStore {
  const { batches, settlements } = tables;
  const minedOf = (network: string) =>
    [...batches.values()].filter((batch) => batch.network === network && batch.status === 'mined');
  const batchBlockOf = ({ id, blockNumber, blockHash }: BatchRow) => ({
    id,
    blockNumber: blockNumber ?? 0n,
    blockHash: blockHash ?? '',
  });
  const carriedBy = (id: string, states: readonly SettlementRow['status'][]) =>
    [...settlements.values()]
      .filter(({ batchId, status }) => batchId === id && states.includes(status))
      .toSorted(byNumber);
  const partsOf = ({ id, network, relayer }: BatchRow): readonly RecordedPart[] =>
    tables.relayers.get(`${network}/${relayer}`)?.duty === 'resolve_stranded'
      ? strandedOfBatch(tables, id).map((row) => ({
          item: strandedItemOf(tables, row),
          settled: row.status === 'done',
        }))
      : carriedBy(id, ['batched', 'mined', 'completed']).map((row) => ({
          item: itemOf(row),
          settled: row.status === 'completed',
        }));
  const lossesOf = (id: string) => tables.losses.filter(({ batchId }) => batchId === id);
  return {
    loadAgeingBatches: async (network, finalizedNumber, limit, afterBatchId) => {
      const ageing = await statement('loadAgeingBatches', () => {
        const last = afterBatchId === undefined ? undefined : batches.get(afterBatchId);
        return minedOf(network)
          .filter(({ blockNumber }) => (blockNumber ?? 0n) <= finalizedNumber)
          .filter((batch) => last === undefined || byNonce(last, batch) < 0)
          .toSorted(byNonce)
          .slice(0, limit)
          .map((batch) => ({ ...batchBlockOf(batch), transactionId: batch.transactionId }));
      });
      if (ageing.length === 0) return [];
      return statement('loadAgeingBatches items', () =>
        ageing.map((batch) => ({ ...batch, openItems: carriedBy(batch.id, ['batched', 'mined']).map(itemOf) })),
      );
    },
    loadBatchBlocks: (network, finalizedNumber, limit) =>
      statement('loadBatchBlocks', () =>
        minedOf(network)
          .filter(({ blockNumber }) => (blockNumber ?? 0n) > finalizedNumber)
          .map(batchBlockOf)
          .toSorted((one, other) => (one.blockNumber > other.blockNumber ? -1 : 1))
          .slice(0, limit),
      ),
    loadRecordedBatch: async (batchId) => {
      const batch = await statement('loadRecordedBatch', () => {
        const row = batches.get(batchId);
        return row?.status === 'mined' ? { ...row, transactions: [...row.transactions] } : undefined;
      });
      if (batch === undefined) return undefined;
      return recordedOf(batch, await statement('loadRecordedBatch items', () => partsOf(batch)));
    },
    moveBatch: (batch, fromBlockHash, mined, { nowMs }) =>
      statement('moveBatch', () => {
        const row = batches.get(batch.id);
        if (row?.status !== 'mined' || row.blockHash !== fromBlockHash) return false;
        const parts = batch.items
          .map((item, index) => ({ item, mined: mined.items[index] }))
          .filter((part): part is SettledBatchItem => part.mined?.outcome === 'settled');
        const losses = lossesOf(batch.id);
        const gas = splitGas(mined, batch.items, lostItems(row.itemCount, mined, liveLosses(losses)));
        const entries = parts.flatMap(({ item, mined: part }) => {
          const gasShareAtomic = gas.settled.get(item.paymentId) ?? 0n;
          const settled = { lane: batch, item, mined: part, batch: mined };
          const fresh =
            item.strandedTransfer?.action === 'return'
              ? bookReturn({ ...settled, gasCostAtomic: gasShareAtomic }, { nowMs })
              : bookPayment({ ...settled, gasShareAtomic }, { nowMs }).entries;
          return [...reverseEntries(liveEntriesOf(tables, item, batch.transactionId), { nowMs }), ...fresh];
        });
        const { transactionId, blockNumber, blockHash } = mined;
        Object.assign(row, { transactionId, blockNumber, blockHash, gasBooked: true, updatedAtMs: nowMs });
        tables.entries.push(...entries);
        const batchBlock = { ...batch, batchId: batch.id, transactionId };
        tables.losses.push(...reverseLosses(losses, { nowMs }), ...bookLosses(batchBlock, gas.lost, { nowMs }));
        for (const { item, mined: part } of parts) {
          const payment = tables.payments.get(item.paymentId);
          if (payment?.status !== 'completed') continue;
          const transactionSplitId = `${transactionId}:${part.logIndex}`;
          tables.payments.set(item.paymentId, { ...payment, transactionId, transactionSplitId });
        }
        return true;
      }),
    reverseBatch: (batchId, blockHash, nowMs) =>
      statement('reverseBatch', () => {
        const row = batches.get(batchId);
        if (row?.status !== 'mined' || row.blockHash !== blockHash) return false;
        const settled = partsOf(row).filter((part) => part.settled);
        const isReturn = ({ item }: RecordedPart) => item.strandedTransfer?.action === 'return';
        const completed = settled.filter((part) => !isReturn(part)).map(({ item }) => item);
        const cause = { requestId: batchId, nowMs };
        writePaymentResults(tables, reversals(tables, completed, row.transactionId, cause), 'completed');
        // The payment of a returned transfer stays failed; only its ledger entries are reversed.
        for (const { item } of settled.filter(isReturn)) {
          tables.entries.push(...reverseEntries(liveEntriesOf(tables, item, row.transactionId), { nowMs }));
        }
        for (const open of carriedBy(batchId, ['mined'])) open.status = 'batched';
        for (const open of strandedOfBatch(tables, batchId)) {
          const blocked = open.status === 'blocked' && open.reason === 'reverted';
          if (open.status === 'mined' || open.status === 'done' || blocked) open.status = 'batched';
        }
        tables.losses.push(...reverseLosses(lossesOf(batchId), { nowMs }));
        Object.assign(row, { status: 'broadcast', blockNumber: null, blockHash: null, gasBooked: false });
        return true;
      }),
    recordFinal: (batch, outcomes, nowMs) =>
      statement('recordFinal', () => {
        if (outcomes.length !== batch.openItems.length) throw new Error(`batch ${batch.id} has other items`);
        const row = batches.get(batch.id);
        if (row?.status !== 'mined') return;
        const ending = (end: string): readonly LaneItem[] =>
          batch.openItems.filter((_, index) => judgeItem(outcomes[index] ?? 'no_evidence').end === end);
        const cause = { requestId: batch.id, nowMs };
        Object.assign(row, { status: 'finalized', updatedAtMs: nowMs });
        const revivable = (item: LaneItem) => isRevivable(tables, item);
        const failed = ending('failed').filter((item) => !revivable(item));
        writePaymentResults(tables, failures(tables, failed, batch.transactionId, cause), 'mined');
        const heldItems = [...ending('held'), ...ending('failed').filter(revivable)];
        moveSettlements(tables, heldItems, ['mined'], 'held');
        moveSettlements(tables, ending('queued'), ['mined'], 'queued');
        for (const again of strandedOfBatch(tables, batch.id)) {
          if (again.status === 'mined') Object.assign(again, { status: 'queued', relayer: null, batchId: null });
        }
      }),
  };
}

type RecordedPart = { readonly item: LaneItem; readonly settled: boolean };

/** Batches of two relayers may have the same nonce. */
function byNonce(one: BatchRow, other: BatchRow): number {
  if (one.nonce !== other.nonce) return one.nonce < other.nonce ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

function recordedOf(
  { id, network, relayer, nonce, transactionId, transactions }: BatchRow,
  parts: readonly RecordedPart[],
): RecordedBatch {
  return {
    id,
    network: network as NetworkId,
    relayer,
    nonce,
    status: 'broadcast',
    sentAtMs: 0,
    transactionId,
    transactions: transactions.map(({ transactionId, raw }) => ({ transactionId, raw })),
    items: parts.map(({ item }) => item),
    settledIds: new Set(parts.filter(({ settled }) => settled).map(({ item }) => item.paymentId)),
  };
}

/** As `findForgottenLanes` of packages/postgres. */
export function findForgottenLanes(tables: Tables, silentSinceMs: number): readonly Lane[] {
  const forgotten = [...tables.relayers.values()].filter(
    (row) => (!row.awake || row.beatAtMs === null || row.beatAtMs < silentSinceMs) && hasWork(tables, row),
  );
  for (const row of forgotten) row.awake = true;
  return forgotten.map(({ network, address }) => ({ network: network as NetworkId, relayer: address }));
}
