// RefundWatchStore in memory: refunds as settlement decides them, from final blocks.
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import {
  BATCH_STATUS,
  OPEN_REFUND,
  type OpenRefund,
  REFUND_STATUS,
  type RefundEvidence,
  type RefundKey,
  type RefundWatchStore,
  refundResult,
  type StoredRefund,
} from '../index.ts';
import { proofKey } from './memory-direct-tables.ts';
import { writeEvents } from './memory-payment-results.ts';
import { cancelPreparedRow } from './memory-refund-store.ts';
import { type AskedRefundRow, MEMORY_INSTALLATION, type RefundTotalsRow } from './memory-refund-tables.ts';
import { storedRefundOf, walletsOf } from './memory-refundable.ts';
import { leaveBatch } from './memory-refunds.ts';
import type { Statement, Tables } from './memory-tables.ts';

const CANCELED_MS = 30 * 86_400_000;

const isOpen = ({ status }: StoredRefund) => (OPEN_REFUND as readonly string[]).includes(status);

export function createMemoryRefundWatchStore(tables: Tables, statement: Statement): RefundWatchStore {
  const { askedRefunds, refunds, batches } = tables;
  return {
    loadOpenRefunds: (network, afterNumber, limit) =>
      statement('loadOpenRefunds', () =>
        [...askedRefunds.values()]
          .filter((row) => row.refund.network === network && row.number > afterNumber)
          .filter((row) => isOpen(storedRefundOf(tables, row)))
          .toSorted((one, other) => (one.number < other.number ? -1 : 1))
          .slice(0, limit)
          .map((row) => openRefundOf(tables, row, network)),
      ),
    complete: (key, evidence, nowMs) => statement('completeRefund', () => complete(tables, key, evidence, nowMs)),
    fail: (key, code) =>
      statement('failRefund', () => {
        const { row, totals, refund } = locked(tables, key);
        if (!isOpen(refund)) return false;
        tables.refundTotals.set(refund.paymentId, {
          ...totals,
          reservedAtomic: totals.reservedAtomic - row.reservedAtomic,
        });
        end(tables, row, { status: 'failed', failureCode: code });
        return true;
      }),
    queueAgain: ({ id }) =>
      statement('queueRefundAgain', () => {
        const lane = refunds.get(id);
        const status = batches.get(lane?.batchId ?? '')?.status;
        if (lane?.status !== 'sent' || status === 'signed' || status === 'broadcast' || status === 'mined')
          return false;
        leaveBatch(lane);
        return true;
      }),
    cancelStale: (nowMs) =>
      statement('cancelStale', () => {
        const stale = [...askedRefunds.values()].filter(
          ({ refund }) => refund.status === REFUND_STATUS.prepared && (refund.expiresAtMs ?? 0) <= nowMs,
        );
        for (const row of stale) cancelPreparedRow(row, nowMs);
        for (const { refund, canceledAtMs } of askedRefunds.values())
          if (canceledAtMs !== null && canceledAtMs <= nowMs - CANCELED_MS) askedRefunds.delete(refund.id);
        return stale.length;
      }),
  };
}

function locked(tables: Tables, { id }: RefundKey) {
  const row = tables.askedRefunds.get(id);
  const totals = row && tables.refundTotals.get(row.refund.paymentId);
  if (row === undefined || totals === undefined) throw new Error(`refund ${id} or the totals of its payment are gone`);
  return { row, totals, refund: storedRefundOf(tables, row) };
}

function openRefundOf(tables: Tables, row: AskedRefundRow, network: NetworkId): OpenRefund {
  const refund = storedRefundOf(tables, row);
  const batchId = tables.refunds.get(refund.id)?.batchId ?? null;
  const payment = tables.payments.get(refund.paymentId);
  const paidIn = tables.batches.get(tables.settlements.get(refund.paymentId)?.batchId ?? '');
  return {
    ...refund,
    number: row.number,
    signature: row.signature,
    byContract: row.byContract,
    batchId,
    signedTransactionIds: tables.batches.get(batchId ?? '')?.transactions.map((signed) => signed.transactionId) ?? [],
    payment: {
      transactionId: payment?.transactionId ?? null,
      payer: payment?.payer ?? null,
      blockNumber: paidIn?.status === BATCH_STATUS.finalized ? paidIn.blockNumber : null,
    },
    wallets: walletsOf(tables, refund, network),
    installation: MEMORY_INSTALLATION,
  };
}

function complete(tables: Tables, key: RefundKey, evidence: RefundEvidence, nowMs: number) {
  const { row, totals, refund } = locked(tables, key);
  if (refund.status === REFUND_STATUS.completed) return 'completed_before';
  if (!isOpen(refund))
    throw new Error(`refund ${key.id} is ${refund.status}, and ${evidence.transactionId} shows its transfer`);
  const payment = tables.payments.get(refund.paymentId);
  const intentRow = tables.intents.get(refund.intentId);
  if (payment === undefined || intentRow === undefined) throw new Error(`the payment of refund ${key.id} is gone`);
  const { intent, eventSequence } = intentRow;
  const origin = { requestId: newId('request', nowMs), nowMs };
  const before = { refund: { ...refund, reservedAtomic: row.reservedAtomic }, totals, intent, payment, eventSequence };
  const result = refundResult(before, evidence, origin);
  if (result === undefined) return 'exceeds';
  if (!writeProof(tables, refund, evidence)) return 'taken';
  const { amountAtomic, wallet, recipient, transactionId, logIndex } = evidence;
  const shown = { amountAtomic, wallet, recipient, transactionId, logIndex };
  end(tables, row, { ...shown, status: 'completed', completedAtMs: nowMs });
  const after: RefundTotalsRow = { ...totals, ...result.totals };
  tables.refundTotals.set(refund.paymentId, after);
  tables.payments.set(refund.paymentId, result.payment);
  intentRow.version += 1;
  intentRow.eventSequence += result.events.length;
  tables.entries.push(...result.entries);
  writeEvents(tables, result.events, intent);
  return 'completed';
}

/** False when the log proves something else. A receipt that pays no intent makes way. */
function writeProof(
  { proofs }: Tables,
  { network, paymentId, id }: StoredRefund,
  { transactionId, logIndex }: RefundEvidence,
): boolean {
  const at = proofKey(network, transactionId, logIndex);
  const known = proofs.get(at);
  if (known !== undefined && known.paymentId !== null) return false;
  proofs.set(at, { transactionId, logIndex, paymentId, refundId: id, reason: null, read: true });
  return true;
}

function end(tables: Tables, row: AskedRefundRow, change: Partial<StoredRefund>): void {
  row.refund = { ...row.refund, ...change };
  row.reservedAtomic = 0n;
  const lane = tables.refunds.get(row.refund.id);
  if (lane === undefined) return;
  const { status, transactionId } = row.refund;
  Object.assign(lane, { status, retryAtMs: null });
  if (status === REFUND_STATUS.completed) Object.assign(lane, { transactionId, refusal: null });
}
