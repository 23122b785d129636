// FinalityStore in memory: mined batches until they are final.
import type { NetworkId } from '@svc-pay/protocol';
import {
  decideFinal,
  decideMove,
  decideReversal,
  type FinalityStore,
  type LaneItem,
  laneKey,
  type MovedPayment,
  NO_LINK,
  proofOf,
  type RecordedBatch,
  requireOutcomes,
  type StrandedRecord,
  TRANSFERS_WHEN_FINAL,
} from '../index.ts';
import { proofKey } from './memory-direct-tables.ts';
import {
  beforesOf,
  failures,
  holdSettlements,
  linkPayments,
  liveEntriesOf,
  moveSettlements,
  revertedBatchesOf,
  writePaymentResults,
} from './memory-payment-results.ts';
import { refundsOfBatch } from './memory-refunds.ts';
import { strandedOfBatch } from './memory-stranded-lane-store.ts';
import {
  type BatchRow,
  byNumber,
  itemOf,
  type SettlementRow,
  type Statement,
  type StrandedRow,
  strandedItemOf,
  type Tables,
} from './memory-tables.ts';

export function createMemoryFinalityStore(tables: Tables, statement: Statement): FinalityStore {
  const { batches } = tables;
  const minedOf = (network: string) =>
    [...batches.values()].filter((batch) => batch.network === network && batch.status === 'mined');
  const lossesOf = (id: string) => tables.losses.filter(({ batchId }) => batchId === id);
  /** Undefined when another process already changed the batch. */
  const recordedRow = (id: string, blockHash: string): BatchRow | undefined => {
    const row = batches.get(id);
    return row?.status === 'mined' && row.blockHash === blockHash ? row : undefined;
  };
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
        ageing.map((batch) => ({ ...batch, openItems: carriedBy(tables, batch.id, ['batched', 'mined']).map(itemOf) })),
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
      return batch && statement('loadRecordedBatch items', () => recordedOf(tables, batch));
    },
    moveBatch: (batch, fromBlockHash, mined, options) =>
      statement('moveBatch', () => {
        const row = recordedRow(batch.id, fromBlockHash);
        if (row === undefined) return false;
        const { losses, entries, payments } = decideMove(
          batch,
          mined,
          {
            itemCount: row.itemCount,
            losses: lossesOf(batch.id),
            entries: liveEntriesOf(tables, batch.items, batch.transactionId),
            rates: undefined,
          },
          options,
        );
        const { transactionId, blockNumber, blockHash } = mined;
        const at = { transactionId, linkedTo: transactionId, blockNumber, blockHash };
        Object.assign(row, { ...at, gasBooked: true, updatedAtMs: options.nowMs });
        tables.entries.push(...entries);
        tables.losses.push(...losses);
        moveProofs(tables, row.network, payments);
        for (const { item, transactionSplitId } of payments) {
          const payment = tables.payments.get(item.paymentId);
          if (payment?.status !== 'completed') continue;
          tables.payments.set(item.paymentId, { ...payment, transactionId, transactionSplitId });
        }
        return true;
      }),
    reverseBatch: (batchId, blockHash, nowMs) =>
      statement('reverseBatch', () => {
        const row = recordedRow(batchId, blockHash);
        if (row === undefined) return false;
        const batch = recordedOf(tables, row);
        const facts = {
          befores: beforesOf(tables, batch.items),
          entries: liveEntriesOf(tables, batch.items, row.transactionId),
          losses: lossesOf(batchId),
          stranded: strandedOfBatch(tables, batchId).map(strandedRecordOf),
        };
        const { results, entries, losses, open, batchedTransfers } = decideReversal(batch, facts, nowMs);
        const openRows = carriedBy(tables, batchId, [open.from]);
        writePaymentResults(tables, results, 'completed');
        tables.entries.push(...entries);
        tables.losses.push(...losses);
        for (const settlement of openRows) settlement.status = open.to;
        const again = new Set(batchedTransfers.map(({ paymentId }) => paymentId));
        for (const transfer of strandedOfBatch(tables, batchId)) {
          if (again.has(transfer.paymentId as LaneItem['paymentId'])) transfer.status = 'batched';
        }
        Object.assign(row, { status: 'broadcast', blockNumber: null, blockHash: null, gasBooked: false });
        return true;
      }),
    recordSettledFinal: (batchIds, nowMs) =>
      statement('recordSettledFinal', () =>
        batchIds.filter((id) => {
          const row = batches.get(id);
          const again = strandedOfBatch(tables, id).some(({ status }) => status === TRANSFERS_WHEN_FINAL.from);
          if (row?.status !== 'mined' || again) return false;
          Object.assign(row, { status: 'finalized', updatedAtMs: nowMs });
          return true;
        }),
      ),
    recordFinal: (batch, outcomes, nowMs) =>
      statement('recordFinal', () => {
        requireOutcomes(batch, outcomes);
        const row = batches.get(batch.id);
        if (row?.status !== 'mined') return;
        Object.assign(row, { status: 'finalized', updatedAtMs: nowMs });
        const { failed, held, queued } = decideFinal(batch, outcomes, revertedBatchesOf(tables, batch.openItems));
        const origin = { requestId: batch.id, nowMs };
        writePaymentResults(tables, failures(tables, failed, batch.transactionId, origin), 'mined');
        holdSettlements(tables, held, 'mined');
        const gone = moveSettlements(tables, queued, 'mined', 'queued');
        const refused = held.filter(({ refusal }) => refusal !== null).map(({ item }) => item);
        const { from, to } = TRANSFERS_WHEN_FINAL;
        const transfers = strandedOfBatch(tables, batch.id).filter(({ status }) => status === from);
        for (const transfer of transfers) Object.assign(transfer, { status: to, relayer: null, batchId: null });
        const moved = transfers.map((transfer) => strandedItemOf(tables, transfer));
        linkPayments(
          tables,
          [...gone, ...refused, ...moved].map((item) => ({ item, link: NO_LINK, requestId: batch.id })),
          nowMs,
        );
      }),
  };
}

const batchBlockOf = ({ id, blockNumber, blockHash }: BatchRow) => ({
  id,
  blockNumber: blockNumber ?? 0n,
  blockHash: blockHash ?? '',
});

function carriedBy({ settlements }: Tables, id: string, states: readonly SettlementRow['status'][]) {
  return [...settlements.values()]
    .filter(({ batchId, status }) => batchId === id && states.includes(status))
    .toSorted(byNumber);
}

/** Batches of two relayers may have the same nonce. */
function byNonce(one: BatchRow, other: BatchRow): number {
  if (one.nonce !== other.nonce) return one.nonce < other.nonce ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

function recordedOf(tables: Tables, row: BatchRow): RecordedBatch {
  const { id, relayer, nonce, transactionId, transactions } = row;
  const lane = { network: row.network as NetworkId, relayer };
  const parts =
    tables.relayers.get(laneKey(lane))?.duty === 'resolve_stranded'
      ? strandedOfBatch(tables, id).map((own) => ({
          item: strandedItemOf(tables, own),
          settled: own.status === 'done',
        }))
      : [
          ...carriedBy(tables, id, ['batched', 'mined', 'completed']).map((own) => ({
            item: itemOf(own),
            settled: own.status === 'completed',
          })),
          ...refundsOfBatch(tables, id).map((item) => ({ item, settled: false })),
        ];
  return {
    ...lane,
    id,
    nonce,
    status: 'broadcast',
    sentAtMs: 0,
    transactionId,
    transactions: transactions.map((own) => ({ transactionId: own.transactionId, raw: own.raw })),
    items: parts.map(({ item }) => item),
    settledIds: new Set(parts.filter(({ settled }) => settled).map(({ item }) => item.paymentId)),
  };
}

function strandedRecordOf({ accountId, mode, paymentId, status, reason }: StrandedRow): StrandedRecord {
  return { accountId, mode, paymentId: paymentId as LaneItem['paymentId'], status, reason };
}

/** All are deleted before any is written: two payments may swap their log positions. */
function moveProofs({ proofs, payments }: Tables, network: string, moved: readonly MovedPayment[]): void {
  const completed = moved.filter(({ item }) => payments.get(item.paymentId)?.status === 'completed');
  for (const { item } of completed) {
    const old = proofOf(payments.get(item.paymentId) ?? null);
    if (old !== null) proofs.delete(proofKey(network, old.transactionId, old.logIndex));
  }
  for (const { item, transactionId, logIndex } of completed) {
    const proof = { transactionId, logIndex, paymentId: item.paymentId, reason: null, read: false };
    proofs.set(proofKey(network, transactionId, logIndex), proof);
  }
}
